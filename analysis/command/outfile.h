#include "../../src/format/outfile.h"
