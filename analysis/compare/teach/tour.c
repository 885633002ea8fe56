/* A walk through the schemes in the order of a class: the question first, then what the numbers say. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "../encoding.h"
#include "../teach.h"
#include "example.h"
#include "exercise.h"
#include "../../report/paragraph.h"

static const struct tour_step {
    const char *scheme; /* NULL: linear attention, a table of all */
    const char *question, *answer;
} steps[] = {
    {"none",
     "Attention compares a query with a key by their product, q . k. Shuffle the words of a sentence. Which of the "
     "products change?",
     "None. Each pair of words keeps its score wherever the two stand: without positions, attention sees a bag of "
     "words. (A causal mask gives a little order back, because the first word sees one key, the second two, and so "
     "on.)"},
    {"sinusoidal",
     "Add to each token a vector p_m of sines and cosines of its position. The product of two such vectors, p_m . "
     "p_n, knows n - m only. Now W_q and W_k stand between them. Which of the four terms of the score stay when "
     "query and key move together?",
     "Only the first, which has no position in it. W_q and W_k mix sines with cosines in their own way, and p_m and "
     "p_n no longer meet as they are. So the model must learn what an offset is, at each place anew."},
    {"learned", "Let the p_m be learned instead of computed. What does the model gain, and what can it no longer do?",
     "It may place each position where it likes. But nothing ties p_m to p_(m+1), the same three terms move, and "
     "beyond the trained length there is no vector at all."},
    {"shaw", "We would like a score that knows the offset n - m, and neither m nor n. What is the most direct way?",
     "Learn a vector a_r for each offset r and let the query multiply it. Both terms stay. The price is a table, a "
     "product more per pair of positions, and a clip: beyond it, far and farther look alike."},
    {"transformer-xl",
     "Take the four terms of the additive score and make each of them relative. What do you put in the place of p_n? "
     "And what is left for p_m?",
     "In the place of p_n: the sinusoid of the distance, with a projection W_r of its own. What p_m did may not "
     "depend on m any more, so it becomes two learned vectors u and v, the same for all queries. Four terms, and "
     "none moves."},
    {"t5", "Vectors, projections: how much of that is needed? Could one number per offset do?",
     "T5 adds one learned number per bucket of offsets: near offsets have a bucket each, far ones share buckets that "
     "grow like a logarithm. The number does not know what the words are."},
    {"tupe",
     "In the additive score the middle terms multiply words with positions, which TUPE's authors find of little use. "
     "Drop them. Is the rest relative?",
     "No. Words and positions have projections of their own now, and the bias is relative; but the positions' own "
     "term is still (U_q p_m) . (U_k p_n), and it moves as in the additive score."},
    {"deberta", "In Shaw's scheme the query asks for an offset. Who else could ask?",
     "The key. DeBERTa adds its product with the vector of the offset as well. Three terms, none moves, at about "
     "three times the work for the scores."},
    {"alibi", "Could a scheme without any parameter, without any vector, tell near from far?",
     "ALiBi subtracts a multiple of the distance. Of the schemes on this tour it is the only one whose score must "
     "fall with the distance, whatever q and k are. That is its strength on long texts, and its limit: it always "
     "prefers the near."},
    {"rope",
     "All relative schemes so far add something to each of the N x N scores. Can q and k be changed each on its own, "
     "at m and at n, so that their product knows n - m only?",
     "Yes: turn them, by angles in proportion to their positions. Between two turned vectors only the difference of "
     "the angles counts: R_m^T R_n = R_(n-m). Nothing is added to the scores, nothing is learned, no length changes, "
     "and the work is for N vectors instead of N x N scores. It is the sinusoid again: multiplied instead of added, "
     "and after the projections instead of before."},
    {"xpos", "A rotation keeps lengths, so nothing in it makes far keys weaker. What if lengths may change, too?",
     "xPos also multiplies the query by z^(m-c) and the key by z^(c-n), with a number z below 1 for each pair and c "
     "the middle of the text. In the product z^(m-n) is left, so the score stays. But look at the lengths: they change "
     "with m, and over long texts these factors leave the range of short formats."},
    {NULL,
     "Softmax needs all N x N scores. If the score were a sum of features of m times features of n, their sums could "
     "be formed once, in linear time. For which schemes is it so?",
     "The number of features needed is the rank of the matrix of scores. A rank that does not grow with N means that "
     "linear attention is possible: RoPE is not the only one. What is lost shows in RoFormer's equation 19, which "
     "turns the features in the numerator only. With d = 2, equal features (1, 1) and six keys at the distances 0 to "
     "5:"}};
enum { STEPS = sizeof steps / sizeof *steps };

/* ---- what the numbers say ---------------------------------------------------------------------------- */

static rope_status print_example(FILE *out, const encoding *scheme, const compare_data *data, rope_error *error) {
    encoding_run run = {0};
    const rope_status status = encoding_build(&run, scheme, data, 0, error);
    if (status == ROPE_OK) example_print(out, &run);
    encoding_free(&run);
    return status;
}

/* The weights of the exercise on linear attention, for all-ones features. */
static void print_weights(FILE *out) {
    const exercise_numbers ones = {.q = {1, 1}, .k = {1, 1}, .m = 5};
    exercise_key key = {0};
    exercise_named("linear")->solve(&key, &ones);
    for (int a = 0; a < key.count; a++) {
        char *const label = key.answer[a].label;
        memmove(label, label + 4, strlen(label + 4) + 1); /* without "(a) " */
    }
    exercise_print_key(out, &key);
}

static rope_status print_recap(FILE *out, const compare_data *data, rope_error *error) {
    rope_status status = ROPE_OK;
    fprintf(out, "   %-24s%-14s%-10s%8s  %s\n", "scheme", "score moves?", "factors?", "rank", "by its form");
    for (const encoding *const *row = encodings; status == ROPE_OK && *row; row++) {
        encoding_run run = {0};
        status = encoding_build(&run, *row, data, 0, error);
        if (status == ROPE_OK) {
            const int64_t rank = (*row)->rank(data);
            fprintf(out, "   %-24s%-14s%-10s%8" PRId64 "  %s\n", (*row)->name,
                    example_of(&run, ENCODING_SUM).by != 0 ? "yes" : "no", (*row)->linear_attention ? "yes" : "no",
                    rank < 0 ? (int64_t)data->length : rank, (*row)->rank_formula);
        }
        encoding_free(&run);
    }
    return status;
}

/* ---- the walk ---------------------------------------------------------------------------------------- */

/* Waits for a line; false when the visitor leaves. */
static bool go_on(FILE *in, FILE *out) {
    fprintf(out, "\n   [Enter: the answer; q: leave] ");
    fflush(out);
    const int first = fgetc(in);
    int last = first;
    while (last != '\n' && last != EOF) last = fgetc(in);
    if (last == EOF) fprintf(out, "\n");
    return last != EOF && first != 'q' && first != 'Q';
}

static void print_question(FILE *out, int number, const encoding *scheme) {
    fprintf(out, "\n%d of %d. %s\n\n", number + 1, STEPS, scheme ? scheme->title : "Linear attention");
    text_wrap(out, 3, "", 0, steps[number].question);
}

static rope_status print_answer(FILE *out, int number, const encoding *scheme, const compare_data *data,
                                rope_error *error) {
    fprintf(out, "\n");
    if (scheme) {
        text_say(out, 3, "", 0, "score = %s", scheme->formula);
        fprintf(out, "\n");
        const rope_status status = print_example(out, scheme, data, error);
        fprintf(out, "\n");
        text_wrap(out, 3, "", 0, steps[number].answer);
        return status;
    }
    const rope_status status = print_recap(out, data, error);
    fprintf(out, "\n");
    text_wrap(out, 3, "", 0, steps[number].answer);
    print_weights(out);
    text_wrap(out, 3, "", 0, "Some weights are negative, and they do not sum to 1: they are the weights of no mean.");
    return status;
}

static void print_welcome(FILE *out) {
    text_wrap(
        out, 0, "", 0,
        "A tour of position encodings. The query stands at position m, the key at n. Each step asks a question and "
        "then shows the terms of the score in numbers, at (m, n) = (5, 2) and, both moved by 10, at (15, 12). "
        "Dimension d = 4; tokens and weights are fixed by formulas, and all tokens are alike: what moves, moves "
        "because of the positions.");
}

rope_status teach_tour(FILE *in, FILE *out, bool ask, rope_error *error) {
    compare_data data;
    rope_status status = example_data(&data, error);
    if (status != ROPE_OK) return status;
    print_welcome(out);
    for (int k = 0; status == ROPE_OK && k < STEPS; k++) {
        const encoding *const scheme = steps[k].scheme ? encoding_named(steps[k].scheme) : NULL;
        assert(scheme || !steps[k].scheme);
        print_question(out, k, scheme);
        if (ask && !go_on(in, out)) break;
        status = print_answer(out, k, scheme, &data, error);
    }
    compare_data_free(&data);
    return status;
}
