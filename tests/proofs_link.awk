# The rules of tests/proofs_link. Reads _CoqProject, derivation.md, link.md, the Coq files, the C sources, in this
# order, and a list of files from standard input.

function wrong(place, text) {
    print place ": " text
    bad = 1
}

# The items of a list "a, b" into item[1..]; returns how many.
function split_list(text, item) {
    gsub(/^ +| +$/, "", text)
    return text == "" ? 0 : split(text, item, / *, */)
}

# Puts the sections cited in a line, [derivation 7.2, 9], into the set sections[key, name].
function cite(line, key, place,    text, item, n) {
    while (match(line, /\[derivation [^]]*\]/)) {
        text = substr(line, RSTART + 12, RLENGTH - 13)
        line = substr(line, RSTART + RLENGTH)
        for (n = split_list(text, item); n > 0; n--) {
            if (!((key, item[n]) in cites)) cited[key] = cited[key] (cited[key] == "" ? "" : ", ") item[n]
            cites[key, item[n]] = 1
            if (!(item[n] in section)) wrong(place, "derivation.md has no section '" item[n] "'")
        }
    }
}

# Files of proofs/ named in a line must be there; looked up at the end.
function remember_files(line, pattern, prefix,    name) {
    while (match(line, pattern)) {
        name = prefix substr(line, RSTART, RLENGTH)
        if (!(name in named_at)) named_at[name] = FILENAME ":" FNR
        line = substr(line, RSTART + RLENGTH)
    }
}

# ---- proofs -------------------------------------------------------------------------------------------

FILENAME == "proofs/_CoqProject" {
    if (sub(/^theory\//, "") && sub(/\.v$/, "")) order[++theories] = $0
    next
}

FILENAME == "proofs/derivation.md" {
    remember_files($0, "(numeric|theory)/[A-Za-z0-9_]+[.][a-z]+", "proofs/")
    if (/^# /) part++ # the title, Part I, Part II
    if (/^## [0-9]+\. /) section[$2 + 0] = 1
    if (/^\*\*[0-9]+\.[0-9]+ /) section[substr($1, 3)] = 1
    if (/^## /) heading = $2
    if (part == 2 && /^## /) {
        section[heading] = 1
        if (order[++chapters] != heading)
            wrong(FILENAME ":" FNR, "section " heading " of Part I: _CoqProject has '" order[chapters] "' in its place")
    }
    line = $0
    while (match(line, /`[A-Za-z0-9_]+`/)) {
        name = substr(line, RSTART + 1, RLENGTH - 2)
        explained[heading, name] = 1
        if (name ~ /^[A-Za-z].*_/ && (part == 2 || name !~ /^(rope|ROPE)_/) && !(name in promised)) promised[name] = FILENAME ":" FNR
        line = substr(line, RSTART + RLENGTH)
    }
    next
}

# The tables of link.md, row by row: cell[kind, row, column].
FILENAME == "proofs/link.md" {
    if (/^## /) { kind = $2; seen = 0 }
    if (!/^\|/ || ++seen <= 2) next
    gsub(/^\| *| *\|$/, "")
    n = split($0, c, / *\| */)
    row = ++rows[kind]
    place[kind, row] = FILENAME ":" FNR
    for (k = 1; k <= n; k++) cell[kind, row, k] = c[k]
    if (kind == "Claims") {
        claim_row[c[1]] = row
        for (k = split_list(c[2], item); k > 0; k--) used[item[k]] = 1
    } else if (kind == "Theorems") {
        for (k = split_list(c[2], item); k > 0; k--) used[item[k]] = 1
    } else if (kind == "Bounds") {
        for (k = split_list(c[1], item); k > 0; k--) { bound_row[item[k]] = row; wanted[c[2], item[k]] = 1 }
        for (k = split_list(c[4], item); k > 0; k--) proof["proofs/numeric/" item[k]] = 1
    }
    next
}

FILENAME ~ /^proofs\/(theory|numeric)\// {
    if (!/^(Theorem|Corollary) /) next
    name = $2
    sub(/:.*/, "", name)
    proved[name] = 1
    if (FILENAME ~ /^proofs\/numeric\//) next
    file = FILENAME
    gsub(/.*\/|\.v$/, "", file)
    home[name] = file
    if (!(name in used)) wrong(FILENAME ":" FNR, "link.md does not say what the theorem '" name "' is for")
    if (!((file, name) in explained)) wrong(FILENAME ":" FNR, "section " file " of derivation.md does not name '" name "'")
    next
}

# ---- C ------------------------------------------------------------------------------------------------

FILENAME != "-" {
    cite($0, FILENAME, FILENAME ":" FNR)
    remember_files($0, "proofs/(numeric|theory)/[A-Za-z0-9_]+[.][a-z]+", "")
    for (k in wanted) {
        split(k, pair, SUBSEP)
        if (pair[1] == FILENAME && index($0, pair[2])) delete wanted[k]
    }
}
FILENAME == "analysis/verify/claim/claim.c" && match($0, /^ *\{"[a-z-]+", "/) {
    name = $1
    gsub(/[{",]/, "", name)
    claim[name] = 1
    if (!(name in claim_row)) wrong(FILENAME ":" FNR, "the claim '" name "' has no row in link.md")
}
(FILENAME == "src/bound.h" || FILENAME == "analysis/verify/judge.h") && match($0, /^[a-z].*[ *]rope_[a-z_]+\(/) {
    name = substr($0, RSTART, RLENGTH - 1)
    sub(/.*[ *]/, "", name)
    maker[name] = 1
    if (name ~ /^rope_bound_/) must_link(name)
}
FILENAME ~ /^src\/model\// && match($0, /^ *\.name = "/) { split($0, quoted, "\""); must_link(quoted[2]) }
FILENAME ~ /^src\/frequency\// && /^ *\.roundings = / {
    name = FILENAME
    gsub(/.*\/|\.c$/, "", name)
    must_link(name)
}
function must_link(name) {
    if (!(name in bound_row)) wrong(FILENAME ":" FNR, "the bound '" name "' has no row in link.md")
}
# Each function of bound.c has the sections of the comment right above it.
FILENAME == "src/bound.c" {
    if (/^\/\*/) comment = ""
    if (/^$/) comment = ""
    if (match($0, /^[a-z].*[ *]rope_bound_[a-z]+\(/)) {
        name = substr($0, RSTART, RLENGTH - 1)
        sub(/.*[ *]/, "", name)
        cite(comment, name, FILENAME ":" FNR)
        comment = ""
    } else comment = comment " " $0
}
FILENAME == "-" { there[$0] = 1 }

# ---- what link.md says --------------------------------------------------------------------------------

function check_sections(at, text,    n, item) {
    for (n = split_list(text, item); n > 0; n--)
        if (!(item[n] in section)) wrong(at, "derivation.md has no section '" item[n] "'")
}

function check_claim(row,    at, id, n, item) {
    at = place["Claims", row]
    id = cell["Claims", row, 1]
    if (!(id in claim)) wrong(at, "there is no claim '" id "'")
    if (cell["Claims", row, 2] == "" && cell["Claims", row, 3] == "") wrong(at, "the claim '" id "' has neither theorem nor section")
    for (n = split_list(cell["Claims", row, 2], item); n > 0; n--)
        if (!(item[n] in home)) wrong(at, "there is no theorem '" item[n] "'")
    check_sections(at, cell["Claims", row, 3])
    if (cell["Claims", row, 4] == "yes or no") return
    for (n = split_list(cell["Claims", row, 4], item); n > 0; n--)
        if (!(item[n] in maker)) wrong(at, "nothing is called '" item[n] "'")
}

function check_theorems(row,    at, n, item) {
    at = place["Theorems", row]
    for (n = split_list(cell["Theorems", row, 2], item); n > 0; n--)
        if (home[item[n]] != cell["Theorems", row, 1]) wrong(at, cell["Theorems", row, 1] " has no theorem '" item[n] "'")
}

function check_bound(row,    at, bound, file, key, n, item, same) {
    at = place["Bounds", row]
    bound = cell["Bounds", row, 1]
    file = cell["Bounds", row, 2]
    if (!(file in there)) { wrong(at, "there is no file " file); return }
    for (n = split_list(bound, item); n > 0; n--)
        if ((file, item[n]) in wanted) wrong(at, file " does not contain '" item[n] "'")
    check_sections(at, cell["Bounds", row, 3])
    key = bound ~ /^rope_bound_/ ? bound : file
    n = split_list(cell["Bounds", row, 3], item)
    same = n == split_list(cited[key], other)
    for (; n > 0; n--) if (!((key, item[n]) in cites)) same = 0
    if (!same) wrong(at, "'" bound "' rests on section " cell["Bounds", row, 3] ", and " file " cites [derivation " cited[key] "]")
    for (n = split_list(cell["Bounds", row, 4], item); n > 0; n--)
        if (!(("proofs/numeric/" item[n]) in there)) wrong(at, "there is no proofs/numeric/" item[n])
    if (!(("tests/" cell["Bounds", row, 5] ".c") in there)) wrong(at, "there is no tests/" cell["Bounds", row, 5] ".c")
}

END {
    for (k = chapters + 1; k <= theories; k++) wrong("proofs/derivation.md:0", "Part I has no section " order[k])
    for (k = 1; k <= rows["Claims"]; k++) check_claim(k)
    for (k = 1; k <= rows["Theorems"]; k++) check_theorems(k)
    for (k = 1; k <= rows["Bounds"]; k++) check_bound(k)
    for (name in promised) if (!(name in proved)) wrong(promised[name], "there is no theorem '" name "'")
    for (name in named_at) if (!(name in there)) wrong(named_at[name], "there is no " name)
    for (name in there)
        if (name ~ /^proofs\/numeric\/.*\.(gappa|v)$/ && !(name in proof) && !(name in named_at))
            wrong(name ":0", "neither link.md nor derivation.md says what it is for")
    if (!rows["Claims"] || !rows["Theorems"] || !rows["Bounds"]) wrong("proofs/link.md:0", "a table is missing")
    exit bad
}
