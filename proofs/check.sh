#!/bin/sh
# Checks every proof:  proofs/check.sh [--require | --installed]
#
# Coq compiles theory/ and numeric/, in the order of _CoqProject; the axioms must be those of axioms.expected; Gappa proves
# the rounding bounds, and Coq checks Gappa's proofs of the kernels. Then each is shown to be able to fail: theorems with
# a hypothesis weakened, rounding bounds cut in half. All files are made in a temporary folder.
#
# Without Coq or Gappa nothing is checked, which is said; --require makes that an error. --installed only asks whether
# they are there. Coq and Gappa work side by side.
set -u
cd "$(dirname "$0")" || exit 2
export LC_ALL=C
tmp=$(mktemp -d) || exit 2
beside=
trap 'kill $beside 2>/dev/null; rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

theory=$(sed -n 's/^theory\/\(.*\)\.v$/\1/p' _CoqProject)
numeric=$(sed -n 's/^numeric\/\(.*\)\.v$/\1/p' _CoqProject)
kernels='rotation64 rotation32 norm product' # Gappa's proofs that Coq checks again
began=$(date +%s)
log=$tmp/log # what the last tool said

fail() {
    printf 'failed: %s\n' "$1" | tee -a "$tmp/failures"
    [ ! -s "$log" ] || sed 's/^/    /' "$log"
    : >"$log"
}

# report WORD...: one line of the summary, with the seconds since the last
lap=$began
report() {
    now=$(date +%s)
    printf '%-62s %4d s\n' "$*" $((now - lap))
    lap=$now
}

# In the temporary folder, because coqc leaves caches where it runs.
coq() { (cd "$tmp" && coqc -q -w -ambiguous-paths -Q theory RopeProofs -Q numeric RopeNumeric "$1") >"$log" 2>&1; }
count() { echo $#; }

# ---- what is there ----------------------------------------------------------------------------------

missing() {
    for tool in coqc gappa; do
        command -v $tool >/dev/null || { echo "$tool"; return; }
    done
    for library in Coquelicot Interval Gappa; do
        [ -d "$(coqc -where)/user-contrib/$library" ] || { echo "Coq's library $library"; return; }
    done
}

absent=$(missing)
if [ -n "$absent" ]; then
    echo "skipped: proofs ($absent is not installed; make proofs)"
    [ $# -eq 0 ] || exit 1
    exit 0
fi
[ "${1-}" != --installed ] || exit 0
cp -R theory numeric "$tmp" || exit 2
: >"$log"
: >"$tmp/failures"

# ---- the text ---------------------------------------------------------------------------------------

theorems() { sed -nE 's/^(Theorem|Corollary) ([A-Za-z0-9_]*).*/\2/p' "$@"; }

for file in theory/*.v numeric/*.v; do
    grep -qxF "$file" _CoqProject || fail "$file is not in _CoqProject"
done
unproved='Admitted|admit|Axioms?|Parameters?|Conjecture|Abort|give_up|bypass_check'
if grep -nwE "$unproved" theory/*.v numeric/*.v >"$log"; then fail 'something is assumed, not proved'; fi
if grep -nE 'Interval|Gappa' theory/*.v | grep -w Require >"$log"; then fail 'theory/ uses machine numbers'; fi
for file in $theory; do
    for name in $(theorems "theory/$file.v"); do
        grep -qw "$file\.$name" Axioms.v || fail "theorem $file.$name is not in Axioms.v"
    done
done
for name in $(theorems theory/*.v numeric/*.v); do
    grep -qF "\`$name\`" README.md || fail "theorem $name is not in README.md"
done
for script in numeric/*.gappa; do
    grep -qF "\`$(basename "$script")\`" README.md || fail "$script is not in README.md"
done
# and no name in the README's tables but these
for name in $(sed -n 's/^| [A-Z][A-Za-z0-9]*\.v |//p' README.md | tr -c 'A-Za-z0-9_`' '\n' | sed -n 's/^`\(.*\)`$/\1/p'); do
    theorems theory/*.v numeric/*.v | grep -qx "$name" || fail "README.md names the theorem $name, which is nowhere"
done

# ---- Gappa ------------------------------------------------------------------------------------------

# halved SCRIPT LINE: the script with the bound of one line, N b-E, cut in half.
halved() {
    awk -v line="$2" 'NR == line && match($0, /b-[0-9]+/) {
            $0 = substr($0, 1, RSTART + 1) (substr($0, RSTART + 2, RLENGTH - 2) + 1) substr($0, RSTART + RLENGTH) }
        { print }' "$1"
}

# Every script, and every script with one bound cut in half.
check_gappa() {
    log=$tmp/gappa.log
    bounds=0
    for script in numeric/*.gappa; do
        gappa "$script" >"$log" 2>&1 || fail "$script"
        lines=$(grep -n '# bound' "$script" | cut -d: -f1)
        [ -n "$lines" ] || fail "$script has no line marked '# bound'"
        for line in $lines; do
            bounds=$((bounds + 1))
            halved "$script" "$line" >"$tmp/halved.gappa"
            : >"$log"
            if cmp -s "$script" "$tmp/halved.gappa"; then fail "$script:$line: no bound to halve"; fi
            if gappa "$tmp/halved.gappa" >/dev/null 2>"$log"; then fail "$script:$line: half the bound passes, too"; fi
            grep -q 'some properties were not satisfied' "$log" || fail "$script:$line, halved"
        done
    done
    report "rounding bounds, to fail when halved: $bounds in $(count numeric/*.gappa) scripts"

    for kernel in $kernels; do
        gappa -Bcoq "numeric/$kernel.gappa" >"$tmp/$kernel.v" 2>/dev/null
        : >"$log"
        coq "$kernel.v" || fail "Coq on Gappa's proof of $kernel.gappa"
    done
    report "Gappa's proofs checked by Coq: $(count $kernels)"
}

check_gappa >"$tmp/gappa" 2>&1 &
beside=$!

# ---- Coq --------------------------------------------------------------------------------------------

for file in $theory; do coq "theory/$file.v" || fail "theory/$file.v"; done
report "theory: $(count $theory) files, $(theorems theory/*.v | wc -l) theorems"

cp Axioms.v "$tmp"
coq "Axioms.v" || fail 'Axioms.v'
awk '/^Axioms:/ { n++ } /^[A-Za-z_0-9.]+( |$)/ && n { print (n == 1 ? "constructed" : "classical"), $1 }' "$log" |
    sort >"$tmp/axioms"
grep -v '^#' axioms.expected | sort >"$tmp/axioms.expected"
diff "$tmp/axioms.expected" "$tmp/axioms" >"$log" || fail 'the axioms are not those of axioms.expected'
report "axioms compared with axioms.expected: $(cut -d" " -f2 "$tmp/axioms" | sort -u | wc -l)"

for file in $numeric; do coq "numeric/$file.v" || fail "numeric/$file.v"; done
report "enclosures: $(count $numeric) files, $(grep -cE '^Lemma (cos|sin)_' numeric/Table.v) table entries"

# ---- Coq must be able to refuse ---------------------------------------------------------------------

mutations=0
# refuse FILE WHAT SED: the file, changed by sed, does not compile.
refuse() {
    mutations=$((mutations + 1))
    changed=changed/$(basename "$1")
    mkdir -p "$tmp/changed"
    sed "$3" "$1.v" >"$tmp/$changed.v"
    : >"$log"
    if cmp -s "$1.v" "$tmp/$changed.v"; then fail "nothing changed in $1.v: $2"; return; fi
    if coq "$changed.v"; then fail "$1.v still passes: $2"; fi
    # refused for its mathematics, not for want of a file
    ! grep -qE 'Cannot find a physical path|Syntax error' "$log" || fail "$1.v, changed: $2"
    : >"$log"
}
refuse theory/Rope 'a sign of rope_hs flipped' 's/x j \* cos (p \* th j) - x (h + j)/x j * cos (p * th j) + x (h + j)/'
refuse theory/Decay 'B_lower without its factor 1/2' 's/INR h \/ 2 <= B h th r\./INR h <= B h th r./'
refuse theory/Aliasing 'cos_710_max one position further' 's/^\(Theorem cos_710_max.*\)(0 < n < 103993)/\1(0 < n <= 103993)/'
refuse theory/Uniqueness 'det = 1 weakened to det^2 = 1' 's/(forall m, det (A m) = 1) ->/(forall m, det (A m) * det (A m) = 1) ->/'
refuse numeric/Rounding 'a magnitude with fewer bits' 's/u <= 1 \/ 256 ->/u <= 1 \/ 4 ->/'
refuse numeric/Rounding 'half of what an exponent adds' 's/(1 + 1 \/ 2 ^ 17)/(1 + 1 \/ 2 ^ 18)/'
report "theorems weakened, to be refused: $mutations"

# -----------------------------------------------------------------------------------------------------

wait $beside
beside=
cat "$tmp/gappa"

if [ -s "$tmp/failures" ]; then
    echo "proofs: $(wc -l <"$tmp/failures") failed"
    exit 1
fi
echo "proofs: all hold ($(($(date +%s) - began)) s)"
