/* A forest of decision trees votes on the class of each sample. */
#include "../reference/common.h"

typedef struct Node {
    int feature, child;
    double threshold;
} Node;

int main(int argc, char **argv) {
    arguments_read(argc, argv, "node root sample truth classes k label share confusion");
    Array nodes = array_load_records("node", sizeof(Node), "[('feature', '<i4'), ('child', '<i4'), ('threshold', '<f8')]"), roots = array_load("root", "<i4", 1),
          samples = array_load("sample", "<f4", 2), truths = array_load("truth", "<i4", 1);
    int64_t n = truths.count, features = samples.extent[1], right = 0, least_sure = 0;
    int classes = argument_integer("classes"), trees = roots.count;
    Array labels = vector_new("<i4", n), shares = vector_new("<f8", n), confusions = matrix_new("<i8", classes, classes);
    const Node *restrict node = nodes.data;
    const int *root = roots.data, *truth = truths.data;
    int *restrict label = labels.data;
    double *restrict share = shares.data;
    int64_t *confusion = confusions.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads()) schedule(static) reduction(+ : right, confusion[:classes * classes])
    for (int64_t i = 0; i < n; i++) {
        const float *restrict sample = (float *)samples.data + i * features;
        int votes[16] = {0};
        for (int t = 0; t < trees; t++) {
            int at = root[t];
            while (node[at].feature >= 0) at = node[at].child + !(sample[node[at].feature] <= node[at].threshold);
            votes[node[at].child]++;
        }
        int best = 0;
        for (int c = 1; c < classes; c++)
            if (votes[c] > votes[best]) best = c;
        label[i] = best;
        share[i] = (double)votes[best] / trees;
        right += best == truth[i];
        confusion[truth[i] * classes + best]++;
    }
    for (int64_t i = 1; i < n; i++)
        if (share[i] < share[least_sure]) least_sure = i;
    timing_print("Forest", begin);
    printf("right %lld least sure %lld\n", (long long)right, (long long)least_sure);
    array_store("label", labels);
    array_store("share", shares);
    array_store("confusion", confusions);
    return 0;
}
