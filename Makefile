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
FUZZ_SECONDS ?= 60

# ---- asking the machine -----------------------------------------------------------------------------
# Asked when a recipe first needs the answer, not when make starts: `make deps verify` installs in between.
once = $(eval $(1) := $(2))$($(1))
pkg  = $(shell pkg-config --$(1) $(2) 2>/dev/null)
# Flags $(2), if a program whose first line is $(1) compiles and links with them.
try  = $(shell printf '%s\nint main(void) { return 0; }\n' '$(1)' | \
           $(CC) $(CPPFLAGS) -x c - -o /dev/null $(LDFLAGS) $(2) 2>/dev/null && echo '$(2)')

# ---- flags that the proofs need: never overridden by CFLAGS -----------------------------------------
WARN     := -Wall -Wextra -Wpedantic -Wconversion -Wshadow $(WERROR)
EXACT    := -ffp-contract=off -fno-fast-math
# Threads: `make OPENMP=` builds without them. Loops are vectorised either way.
ifeq ($(origin OPENMP),undefined)
OPENMP    = $(call once,OPENMP,$(call try,,-fopenmp))
endif
PARALLEL  = $(or $(OPENMP),-fopenmp-simd -Wno-unknown-pragmas)
STANDARD  = -std=c11 -D_GNU_SOURCE $(EXACT) $(WARN) $(PARALLEL)
# Kernels: errno and traps are not used there; without these flags loops with sqrt and selects stay scalar.
KERNEL   := -fno-math-errno -fno-trapping-math

CORE_LIBS     = $(call once,CORE_LIBS,$(or $(call pkg,libs,mpfr gmp),-lmpfr -lgmp) -lm)
ANALYSIS_LIBS = $(call once,ANALYSIS_LIBS,$(or $(call pkg,libs,gsl),-lgsl -lgslcblas) \
                    $(or $(call pkg,libs,jansson),-ljansson) $(or $(call pkg,libs,libmd),-lmd))
PKG_CFLAGS    = $(call once,PKG_CFLAGS,$(call pkg,cflags,mpfr gmp gsl jansson libmd))
TEST_LIBS     = $(call once,TEST_LIBS,$(or $(call pkg,libs,cmocka),-lcmocka))
HASH         := \#
ARB_LIBS      = $(call once,ARB_LIBS,$(call try,$(HASH)include <arb.h>,-lflint-arb -lflint))

# ---- what there is ----------------------------------------------------------------------------------
CORE_SRC    := $(sort $(wildcard src/*.c src/*/*.c))
KERNEL_SRC  := $(sort src/phase.c src/table.c $(shell grep -lE 'ROPE_KERNEL|omp simd' $(CORE_SRC)))
SHARED_SRC  := $(sort $(wildcard analysis/command/*.c analysis/report/*.c plots/*.c))
NAMES       := $(patsubst analysis/%/main.c,%,$(wildcard analysis/*/main.c)) # each is a program rope-NAME
TEST_SRC    := $(sort $(wildcard tests/test_*.c))
TWIN_SRC    := $(sort $(wildcard tests/twins/*.c))
ALONE_SRC   := $(wildcard tests/adapters/*.c tests/cli/*.c) # programs of one file, without the library
FUZZ_SRC    := $(wildcard tests/fuzz/fuzz_*.c)
BENCH_SRC   := $(wildcard tests/bench/*.c)

objects     = $(patsubst %.c,$(BUILD)/%.o,$(1))
programs    = $(patsubst %.c,$(BUILD)/%,$(1))
CORE_LIB   := $(BUILD)/librope.a
LIBS       := $(NAMES:%=$(BUILD)/lib%.a)
PROGRAMS   := $(NAMES:%=$(BUILD)/rope-%)
TESTS      := $(call programs,$(TEST_SRC))
HELPERS    := $(call programs,$(ALONE_SRC) $(FUZZ_SRC))
BENCHES    := $(BENCH_SRC:tests/bench/%.c=$(BUILD)/%)
MAN        := $(PROGRAMS:%=%.1)

.PHONY: all check verify deps bench slow figures browser sanitize valgrind fuzz lint proofs deps-proofs man install uninstall clean help
.DELETE_ON_ERROR:

all: $(PROGRAMS) ## build the programs

# ---- compiling and linking --------------------------------------------------------------------------
$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(PKG_CFLAGS) $(CFLAGS) $(STANDARD) $(EXTRA) -MMD -MP -c -o $@ $<

$(call objects,$(KERNEL_SRC)): EXTRA = $(KERNEL)

# Text that a program carries, each line a string: `#include "page.css.lines"` between braces.
CARRIED := $(wildcard analysis/compare/page/page.*)
$(CARRIED:%=$(BUILD)/%.lines): $(BUILD)/%.lines: %
	@mkdir -p $(@D)
	sed 's/[\\"]/\\&/g; s/.*/"&\\n",/' $< >$@
$(BUILD)/analysis/compare/page/template.o: EXTRA = -I$(BUILD)/analysis/compare/page
$(BUILD)/analysis/compare/page/template.o: $(CARRIED:%=$(BUILD)/%.lines)

LINK = $(CC) $(CFLAGS) $(OPENMP) $(LDFLAGS) -o $@ $(filter %.o %.a,$^)

$(CORE_LIB) $(LIBS):
	@rm -f $@
	$(AR) rcs $@ $^

$(CORE_LIB): $(call objects,$(CORE_SRC))

# rope-NAME and libNAME.a: what lies in analysis/NAME, and what the programs share.
define program
$(BUILD)/lib$(1).a: $(call objects,$(SHARED_SRC) $(filter-out %/main.c,$(wildcard analysis/$(1)/*.c analysis/$(1)/*/*.c)))
$(BUILD)/rope-$(1): $(call objects,analysis/$(1)/main.c) $(BUILD)/lib$(1).a $(CORE_LIB)
	$$(LINK) $$(ANALYSIS_LIBS) $$(CORE_LIBS)
endef
$(foreach name,$(NAMES),$(eval $(call program,$(name))))

$(TESTS): $(BUILD)/tests/%: $(BUILD)/tests/%.o $(call objects,$(TWIN_SRC)) $(LIBS) $(CORE_LIB)
	$(LINK) $(TEST_LIBS) $(ANALYSIS_LIBS) $(CORE_LIBS)

$(call programs,$(ALONE_SRC)): %: %.o
	$(LINK) -lm

$(call programs,$(FUZZ_SRC)): %: %.o $(CORE_LIB)
	$(LINK) $(CORE_LIBS)

$(call objects,$(BENCH_SRC)): EXTRA = $(KERNEL) $(if $(ARB_LIBS),-DHAVE_ARB)
$(BENCHES): $(BUILD)/%: $(BUILD)/tests/bench/%.o $(CORE_LIB)
	$(LINK) $(ARB_LIBS) $(CORE_LIBS)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

# ---- running ----------------------------------------------------------------------------------------
verify: $(BUILD)/rope-verify ## run rope-verify on the built-in kernels
	$(BUILD)/rope-verify

check: all lint $(TESTS) $(HELPERS) ## build and run every test
	$(if $(FUZZ_SRC),$(ROPE_UNDER) $(BUILD)/tests/fuzz/fuzz_npy tests/fuzz/corpus/npy/*)
	tests/run $(BUILD) $(TESTS)
	$(if $(wildcard tests/cli/run),tests/cli/run $(BUILD))
	@proofs/check.sh --installed || :

lint: ## check the project's own rules
	tests/lint
	tests/lint_test
	tests/proofs_link
	tests/proofs_link_test

# Not part of `make deps`: Chromium is a quarter of a gigabyte.
browser: $(BUILD)/rope-compare ## look at the page of rope-compare in headless Chromium
	tests/browser/run $(BUILD)

bench: $(BENCHES) ## measure the kernels against MPFR, Arb and reading the arrays
	set -e; for program in $(BENCHES); do $$program; done

slow: $(BUILD)/tests/test_decay $(BUILD)/tests/test_honest ## the exhaustive tests: distances below 2^20, tables in full
	ROPE_SLOW=1 $(BUILD)/tests/test_decay
	ROPE_SLOW=1 $(BUILD)/tests/test_honest

figures: $(BUILD)/rope-decay ## draw the gallery again, plots/gallery/*.svg
	PATH="$$PWD/$(BUILD):$$PATH" plots/gallery/draw plots/gallery

deps: ## install the packages that are missing
	CC='$(CC)' tests/deps

# Not part of `make deps`: Coq and its libraries take a gigabyte.
proofs: deps-proofs ## check every proof (Coq, Gappa)
	proofs/check.sh --require

deps-proofs:
	@proofs/check.sh --installed >/dev/null || { sudo=$$([ $$(id -u) -eq 0 ] || echo sudo); $$sudo apt-get update && \
	    $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
	        coq libcoq-coquelicot libcoq-interval gappa libcoq-gappa; }

# `make deps check`: nothing is compiled before the packages are there, under -j as well.
ifneq ($(filter deps,$(MAKECMDGOALS)),)
$(call objects,$(CORE_SRC) $(wildcard plots/*.c analysis/*/*.c analysis/*/*/*.c) $(TEST_SRC) $(TWIN_SRC) $(ALONE_SRC) $(FUZZ_SRC) $(BENCH_SRC)): | deps
sanitize valgrind fuzz: | deps
endif

# ---- the same tests, looked at more closely ---------------------------------------------------------
# valgrind 3.19 does not read clang's default debug format, hence -gdwarf-4; it runs one thread at a time.
sanitize: ## every test under the address and undefined-behaviour sanitizers
	$(MAKE) BUILD=$(BUILD)-sanitize check \
	    CFLAGS='-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined'

valgrind: ## every test program under valgrind
	$(MAKE) BUILD=$(BUILD)-valgrind OPENMP= CFLAGS='-O1 -gdwarf-4' check \
	    ROPE_UNDER='valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite'

fuzz: ## feed the npy reader random files for FUZZ_SECONDS
	$(MAKE) BUILD=$(BUILD)-fuzz CC=clang OPENMP= CPPFLAGS='$(CPPFLAGS) -DFUZZ' \
	    CFLAGS='-O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined' \
	    LDFLAGS='-fsanitize=fuzzer' $(BUILD)-fuzz/tests/fuzz/fuzz_npy
	mkdir -p $(BUILD)-fuzz/corpus
	$(BUILD)-fuzz/tests/fuzz/fuzz_npy -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1 \
	    -artifact_prefix=$(BUILD)-fuzz/ $(BUILD)-fuzz/corpus tests/fuzz/corpus/npy

# ---- installing -------------------------------------------------------------------------------------
man: $(MAN) ## make the man pages; needs help2man

$(MAN): %.1: %
	help2man --no-info --output=$@ --name="$$($< --help | sed -n '1s/^[^:]*: //p')" \
	    --version-string="$$($< --version | sed 's/ (.*//')" $<

install: all ## install the programs, and their man pages when help2man is there
	install -d '$(DESTDIR)$(PREFIX)/bin'
	install $(PROGRAMS) '$(DESTDIR)$(PREFIX)/bin'
	install -d '$(DESTDIR)$(PREFIX)/share/rope/plots'
	install -m 644 plots/*.gp '$(DESTDIR)$(PREFIX)/share/rope/plots'
	@if command -v help2man >/dev/null; then \
	    $(MAKE) man && install -d '$(DESTDIR)$(PREFIX)/share/man/man1' && \
	    install -m 644 $(MAN) '$(DESTDIR)$(PREFIX)/share/man/man1'; \
	else echo 'help2man is missing: installed without man pages'; fi

uninstall: ## remove what install put there
	rm -f $(addprefix '$(DESTDIR)$(PREFIX)/bin'/,$(notdir $(PROGRAMS))) \
	      $(addprefix '$(DESTDIR)$(PREFIX)/share/man/man1'/,$(notdir $(MAN)))
	rm -rf '$(DESTDIR)$(PREFIX)/share/rope'

clean: ## remove what was built
	rm -rf $(BUILD) $(BUILD)-sanitize $(BUILD)-valgrind $(BUILD)-fuzz

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20
