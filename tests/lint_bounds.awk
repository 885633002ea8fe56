# Where does every bound come from?  awk -f tests/lint_bounds.awk analysis/verify/*.c ...
#
# A verdict is a defect compared with a bound: rope_count_test(count, defect, BOUND, useless, where), or a table
# question with its offsets and slopes. Each such argument must be computed from what src/bound.c or a replay made:
# a name below, a function that returns something computed from one, or a variable assigned from one. A yes/no test
# has the bound 0.0 and nothing useless (INFINITY). No decimal constant such as 1e-6 may enter on the way.
#
# It follows names, not values: it finds a bound that comes from nowhere, not one that is wrong.

function made_by_bound(name) {
    return (name ~ /^rope_bound_[a-z]+$/ && name != "rope_bound_useless") || name ~ /^rope_judge_(steady|turn|difference)$/ || name == "rope_allowed" ||
           name in derived_function
}

# Does an expression mention something derived in function f?
function derives(f, text,    name, member) {
    while (match(text, /[A-Za-z_][A-Za-z_0-9]*/)) {
        name = substr(text, RSTART, RLENGTH)
        member = substr(text, 1, RSTART - 1) ~ /(->|\.)$/
        if (member ? name in derived_member : made_by_bound(name) || (f, name) in derived_variable) return 1
        text = substr(text, RSTART + RLENGTH)
    }
    return 0
}

function decimal(text) { return text ~ /[0-9]e-[0-9]/ || text ~ /0\.0*[1-9][0-9]*[1-9]/ }

function report(f, text) {
    printf "%s: %s: %s\n", file_of[f], name_of[f], text
    bad = 1
}

# Notes what one statement of function f assigns; returns whether that is news.
function assign(f, statement,    place, left, right, name, news) {
    news = 0
    if (match(statement, /[+*\/-]?=[^=]/) && substr(statement, 1, RSTART) !~ /[<>!]$/) {
        left = substr(statement, 1, RSTART - 1)
        right = substr(statement, RSTART + RLENGTH - 1)
        gsub(/\[[^]]*\]/, "", left)
        if (derives(f, right) && match(left, /[A-Za-z_][A-Za-z_0-9]* *$/)) {
            name = substr(left, RSTART)
            gsub(/ /, "", name)
            if (substr(left, 1, RSTART - 1) ~ /(->|\.)$/) {
                if (!(name in derived_member)) news = derived_member[name] = 1
            } else if (!((f, name) in derived_variable)) news = derived_variable[f, name] = 1
            if (decimal(right)) constant[f, name] = 1
        }
    }
    if (statement ~ /return /) {
        right = statement
        sub(/.*return /, "", right)
        if (returns_double[f] && !(name_of[f] in derived_function) && derives(f, right)) news = derived_function[name_of[f]] = 1
    }
    if (derives(f, statement)) # an output argument beside a derived one
        while (match(statement, /&[a-z_]+[,)]/)) {
            name = substr(statement, RSTART + 1, RLENGTH - 2)
            if (!((f, name) in derived_variable)) news = derived_variable[f, name] = 1
            statement = substr(statement, RSTART + RLENGTH)
        }
    return news
}

# Splits the arguments that follow text's opening parenthesis at position `from` into argument[1..].
function arguments(text, from,    depth, k, c, start, count) {
    depth = 1
    count = 0
    for (k = start = from; depth > 0 && k <= length(text); k++) {
        c = substr(text, k, 1)
        if (index("({[", c)) depth++
        if (index(")}]", c)) depth--
        if ((c == "," && depth == 1) || depth == 0) {
            argument[++count] = substr(text, start, k - start)
            gsub(/^ +| +$/, "", argument[count])
            start = k + 1
        }
    }
    return count
}

function check_argument(f, call, text,    name) {
    if (!derives(f, text)) report(f, call ": '" text "' is not computed from rope_bound_* or a replay")
    if (decimal(text)) report(f, call ": '" text "' contains a decimal constant")
    while (match(text, /[A-Za-z_][A-Za-z_0-9]*/)) {
        name = substr(text, RSTART, RLENGTH)
        if ((f, name) in constant) report(f, call ": a decimal constant enters '" name "'")
        text = substr(text, RSTART + RLENGTH)
    }
}

function check_calls(f,    text, count) {
    text = body[f]
    while (match(text, /(rope_count_test|rope_table_bound|rope_table_replay)\(/)) {
        call = substr(text, RSTART, RLENGTH - 1)
        text = substr(text, RSTART + RLENGTH)
        count = arguments(text, 1)
        if (call == "rope_count_test") {
            checked++
            if (argument[3] == "0.0" && argument[4] != "INFINITY")
                report(f, call ": bound 0.0 is for yes/no tests, which end in INFINITY")
            if (argument[3] != "0.0") check_argument(f, call, argument[3])
        } else {
            check_argument(f, call, argument[count])
            if (call == "rope_table_bound") check_argument(f, call, argument[count - 1])
        }
    }
}

# ---- reading: functions without comments and strings --------------------------------------------------
FNR == 1 { inside = 0; comment = 0 }
{
    line = $0
    gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
    if (comment) { if (!sub(/^.*\*\//, "", line)) next; comment = 0 }
    gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
    if (sub(/\/\*.*/, "", line)) comment = 1
    if (!inside && line ~ /^[a-z]/ && line !~ /;/) head = head " " line
    if (!inside && line ~ /;|^}/) head = ""
    if (!inside && head ~ /\(/ && line ~ /\{ *$/) {
        f++
        inside = 1
        file_of[f] = FILENAME
        name_of[f] = head
        sub(/\(.*/, "", name_of[f])
        sub(/.*[ *]/, "", name_of[f])
        returns_double[f] = head ~ /(^| )double +[a-z_0-9]+\(/
        body[f] = ""
        head = ""
        next
    }
    if (inside && line ~ /^}/) inside = 0
    if (inside) body[f] = body[f] " " line
    else if (line ~ /^(static )?(inline )?double [a-z_0-9]+\(.*\{.*\}/) { # a function on one line
        f++
        file_of[f] = FILENAME
        name_of[f] = line
        sub(/\(.*/, "", name_of[f])
        sub(/.* /, "", name_of[f])
        returns_double[f] = 1
        body[f] = line
        sub(/^[^{]*\{/, "", body[f])
    }
}

END {
    do {
        news = 0
        for (k = 1; k <= f; k++) {
            parts = split(body[k], statement, /[;{}]/)
            for (j = 1; j <= parts; j++) if (assign(k, statement[j])) news = 1
        }
    } while (news)
    for (k = 1; k <= f; k++) check_calls(k)
    if (!checked) { print "lint_bounds: no rope_count_test found"; bad = 1 }
    exit bad
}
