# The RoPE toolkit. Read it top to bottom; `make help` lists the targets.
#
#   make                build the programs into build/
#   make deps verify    install what is missing, build, run rope-verify
#   make deps check     install what is missing, build and run the tests

# ---- what a user sets -------------------------------------------------------------------------------
PREFIX  ?= /usr/local
DESTDIR ?=
CC      ?= cc
CFLAGS  ?= -O2 -g
BUILD   ?= build
WERROR  ?=

# ---- flags that the proofs need: never overridden by CFLAGS -----------------------------------------
WARN     := -Wall -Wextra -Wpedantic -Wconversion -Wshadow $(WERROR)
EXACT    := -ffp-contract=off -fno-fast-math
OPENMP   ?= -fopenmp
STANDARD := -std=c11 -D_GNU_SOURCE $(EXACT) $(WARN) $(OPENMP)
# Kernels: errno and traps are not used there; without these flags loops with sqrt and selects stay scalar.
KERNEL   := -fno-math-errno -fno-trapping-math

pkg = $(shell pkg-config --$(1) $(2) 2>/dev/null)
CORE_LIBS     := $(or $(call pkg,libs,mpfr gmp),-lmpfr -lgmp) -lm
ANALYSIS_LIBS := $(or $(call pkg,libs,gsl),-lgsl -lgslcblas) $(or $(call pkg,libs,jansson),-ljansson) $(or $(call pkg,libs,libmd),-lmd)
CPPFLAGS_ALL   = $(CPPFLAGS) $(call pkg,cflags,mpfr gmp gsl jansson libmd)
TEST_LIBS     := $(or $(call pkg,libs,cmocka),-lcmocka)

# ---- what there is ----------------------------------------------------------------------------------
CORE_SRC    := $(sort $(wildcard src/*.c src/*/*.c))
SHARED_SRC  := $(sort $(wildcard analysis/command/*.c analysis/report/*.c))
VERIFY_SRC  := $(sort $(wildcard analysis/verify/*.c analysis/verify/*/*.c))
VERIFY_MAIN := analysis/verify/main.c
TEST_SRC    := $(sort $(wildcard tests/test_*.c))

objects = $(patsubst %.c,$(BUILD)/%.o,$(1))
CORE_LIB   := $(BUILD)/librope.a
VERIFY_LIB := $(BUILD)/libverify.a
PROGRAMS   := $(BUILD)/rope-verify
TESTS      := $(patsubst tests/%.c,$(BUILD)/tests/%,$(TEST_SRC))

.PHONY: all check verify deps bench sanitize valgrind fuzz lint man install uninstall clean help
.DELETE_ON_ERROR:

all: $(PROGRAMS) ## build the programs

# ---- compiling and linking --------------------------------------------------------------------------
$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS) $(STANDARD) $(KERNEL_FLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/src/phase.o $(BUILD)/src/table.o: KERNEL_FLAGS := $(KERNEL)

$(CORE_LIB): $(call objects,$(CORE_SRC))
	@rm -f $@
	$(AR) rcs $@ $^

$(VERIFY_LIB): $(call objects,$(SHARED_SRC) $(filter-out $(VERIFY_MAIN),$(VERIFY_SRC)))
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/rope-verify: $(call objects,$(VERIFY_MAIN)) $(VERIFY_LIB) $(CORE_LIB)
	$(CC) $(CFLAGS) $(OPENMP) $(LDFLAGS) -o $@ $^ $(ANALYSIS_LIBS) $(CORE_LIBS)

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(VERIFY_LIB) $(CORE_LIB)
	$(CC) $(CFLAGS) $(OPENMP) $(LDFLAGS) -o $@ $^ $(TEST_LIBS) $(ANALYSIS_LIBS) $(CORE_LIBS)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

# ---- running ----------------------------------------------------------------------------------------
verify: $(BUILD)/rope-verify ## run rope-verify on the built-in kernels
	$(BUILD)/rope-verify

check: all $(TESTS) ## build and run every test
	tests/run $(BUILD) $(TESTS)

clean: ## remove what was built
	rm -rf $(BUILD)

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20
