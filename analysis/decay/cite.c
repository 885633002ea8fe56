/* BibTeX entries for what was computed. Titles and authors are those of the arXiv versions. */
#include "decay.h"

#include <string.h>

#include "../../src/frequency/frequency.h"

#define ARXIV(year, number)                                                                                            \
    "  year          = {" year "},\n  eprint        = {" number "},\n  archivePrefix = {arXiv}\n}\n"

static const struct reference {
    unsigned bit;
    const char *bibtex;
} references[] = {
    {CITE_ROFORMER, "@misc{su2021roformer,\n"
                    "  title         = {{RoFormer}: Enhanced Transformer with Rotary Position Embedding},\n"
                    "  author        = {Su, Jianlin and Lu, Yu and Pan, Shengfeng and Murtadha, Ahmed and Wen, Bo and "
                    "Liu, Yunfeng},\n" ARXIV("2021", "2104.09864")},
    {CITE_MEN, "@misc{men2024base,\n"
               "  title         = {Base of {RoPE} Bounds Context Length},\n"
               "  author        = {Men, Xin and Xu, Mingyu and Wang, Bingning and Zhang, Qingyu and Lin, Hongyu and "
               "Han, Xianpei and Chen, Weipeng},\n" ARXIV("2024", "2405.14591")},
    {CITE_BARBERO,
     "@misc{barbero2024round,\n"
     "  title         = {Round and Round We Go! {What} makes Rotary Positional Encodings useful?},\n"
     "  author        = {Barbero, Federico and Vitvitskyi, Alex and Perivolaropoulos, Christos and Pascanu, Razvan and "
     "Veli{\\v{c}}kovi{\\'c}, Petar},\n" ARXIV("2024", "2410.06205")},
    {CITE_SU, "@misc{su2024base,\n"
              "  title         = {Choosing the base of {RoPE}},\n"
              "  author        = {Su, Jianlin},\n"
              "  year          = {2024},\n"
              "  howpublished  = {\\url{https://kexue.fm/archives/10122}},\n"
              "  note          = {In Chinese}\n}\n"},
    {CITE_PI, "@misc{chen2023extending,\n"
              "  title         = {Extending Context Window of Large Language Models via Positional Interpolation},\n"
              "  author        = {Chen, Shouyuan and Wong, Sherman and Chen, Liangjian and Tian, Yuandong},\n" ARXIV(
                  "2023", "2306.15595")},
    {CITE_XPOS, "@misc{sun2022length,\n"
                "  title         = {A Length-Extrapolatable Transformer},\n"
                "  author        = {Sun, Yutao and Dong, Li and Patra, Barun and Ma, Shuming and Huang, Shaohan and "
                "Benhaim, Alon and Chaudhary, Vishrav and Song, Xia and Wei, Furu},\n" ARXIV("2022", "2212.10554")},
    {CITE_T5,
     "@misc{raffel2019exploring,\n"
     "  title         = {Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer},\n"
     "  author        = {Raffel, Colin and Shazeer, Noam and Roberts, Adam and Lee, Katherine and Narang, Sharan and "
     "Matena, Michael and Zhou, Yanqi and Li, Wei and Liu, Peter J.},\n" ARXIV("2019", "1910.10683")},
    {CITE_ALIBI,
     "@misc{press2021train,\n"
     "  title         = {Train Short, Test Long: Attention with Linear Biases Enables Input Length Extrapolation},\n"
     "  author        = {Press, Ofir and Smith, Noah A. and Lewis, Mike},\n" ARXIV("2021", "2108.12409")},
    {CITE_YARN, "@misc{peng2023yarn,\n"
                "  title         = {{YaRN}: Efficient Context Window Extension of Large Language Models},\n"
                "  author        = {Peng, Bowen and Quesnelle, Jeffrey and Fan, Honglu and Shippole, Enrico},\n" ARXIV(
                    "2023", "2309.00071")},
    {CITE_LIU, "@misc{liu2023scaling,\n"
               "  title         = {Scaling Laws of {RoPE}-based Extrapolation},\n"
               "  author        = {Liu, Xiaoran and Yan, Hang and Zhang, Shuo and An, Chenxin and Qiu, Xipeng and Lin, "
               "Dahua},\n" ARXIV("2023", "2310.05209")}};

unsigned decay_sources(const decay_request *request) {
    static const unsigned cites[QUANTITIES] = {CITE_ROFORMER, CITE_MEN, CITE_ROFORMER, CITE_ROFORMER | CITE_BARBERO,
                                               CITE_BARBERO};
    unsigned sources = 0;
    for (int q = 0; q < QUANTITIES; q++) sources |= request->wants[q] ? cites[q] : 0;
    for (int s = 0; s < request->specs; s++) {
        if (!strcmp(request->spec[s].rule->name, "linear")) sources |= CITE_PI;
        if (!strcmp(request->spec[s].rule->name, "ntk") || !strcmp(request->spec[s].rule->name, "yarn"))
            sources |= CITE_YARN;
    }
    return sources;
}

void decay_cite(FILE *out, unsigned sources) {
    for (size_t k = 0; k < sizeof references / sizeof *references; k++)
        if (references[k].bit & sources) fprintf(out, "\n%s", references[k].bibtex);
}
