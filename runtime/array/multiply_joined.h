/* Products of LPUs that lie side by side, as one: what is copied for one is there for the others, and blocks are as large as caches like
 * them, whatever the partition. A product waits until one comes that does not go on where it ends, first along k, then along the columns, then
 * along the rows of x. Each element gets the same products in the same order as without that. multiply_blocks.h includes this file for double
 * and for float.
 *
 * x of all products is an array of which `left` and `right` have no element, and nobody reads x before hp5_multiply_rest. */

/* x += or -= left · right, as hp5_multiply has it. rows 0: none. */
typedef struct HP5_MULTIPLY(waiting) {
    HP5_MULTIPLY_REAL *x;
    int64_t x_row;
    HP5_MULTIPLY(operand) left, right;
    int64_t rows, columns, depth;
    bool subtract;
} HP5_MULTIPLY(waiting);

/* steps: the last calls, as one with more k. block: those before, as one with more columns. band: those before these, with more rows. */
typedef struct HP5_MULTIPLY_JOINED { HP5_MULTIPLY(waiting) steps, block, band; } HP5_MULTIPLY_JOINED;

static inline bool HP5_MULTIPLY(same_strides)(const HP5_MULTIPLY(waiting) *a, const HP5_MULTIPLY(waiting) *b) {
    return a->x_row == b->x_row && a->left.row == b->left.row && a->left.column == b->left.column && a->right.row == b->right.row &&
           a->right.column == b->right.column && a->subtract == b->subtract;
}

static inline bool HP5_MULTIPLY(goes_on_in_depth)(const HP5_MULTIPLY(waiting) *a, const HP5_MULTIPLY(waiting) *b) {
    return b->x == a->x && b->rows == a->rows && b->columns == a->columns && b->left.data == a->left.data + a->depth * a->left.column &&
           b->right.data == a->right.data + a->depth * a->right.row && HP5_MULTIPLY(same_strides)(a, b);
}

static inline bool HP5_MULTIPLY(goes_on_in_columns)(const HP5_MULTIPLY(waiting) *a, const HP5_MULTIPLY(waiting) *b) {
    return b->x == a->x + a->columns && b->rows == a->rows && b->depth == a->depth && b->left.data == a->left.data &&
           b->right.data == a->right.data + a->columns * a->right.column && HP5_MULTIPLY(same_strides)(a, b);
}

static inline bool HP5_MULTIPLY(goes_on_in_rows)(const HP5_MULTIPLY(waiting) *a, const HP5_MULTIPLY(waiting) *b) {
    return b->x == a->x + a->rows * a->x_row && b->columns == a->columns && b->depth == a->depth &&
           b->left.data == a->left.data + a->rows * a->left.row && b->right.data == a->right.data && HP5_MULTIPLY(same_strides)(a, b);
}

static void HP5_MULTIPLY(multiply_now)(const HP5_MULTIPLY(waiting) *p) {
    if (p->rows > 0) HP5_MULTIPLY(multiply)(p->x, p->x_row, p->left, p->right, p->rows, p->columns, p->depth, p->subtract);
}

/* No product goes on where the block ends. */
static void HP5_MULTIPLY(end_block)(HP5_MULTIPLY_JOINED *joined) {
    if (joined->band.rows > 0 && HP5_MULTIPLY(goes_on_in_rows)(&joined->band, &joined->block)) {
        joined->band.rows += joined->block.rows;
        return;
    }
    HP5_MULTIPLY(multiply_now)(&joined->band);
    joined->band = joined->block;
}

/* None has more k for the same elements. */
static void HP5_MULTIPLY(end_steps)(HP5_MULTIPLY_JOINED *joined) {
    if (joined->block.rows > 0 && HP5_MULTIPLY(goes_on_in_columns)(&joined->block, &joined->steps)) {
        joined->block.columns += joined->steps.columns;
        return;
    }
    if (joined->block.rows > 0) HP5_MULTIPLY(end_block)(joined);
    joined->block = joined->steps;
}

/* joined NULL: at once. */
static __attribute__((unused)) void HP5_MULTIPLY(multiply_joined)(HP5_MULTIPLY_JOINED *joined, HP5_MULTIPLY_REAL *x, int64_t x_row,
                                                                  HP5_MULTIPLY(operand) left, HP5_MULTIPLY(operand) right, int64_t rows,
                                                                  int64_t columns, int64_t depth, bool subtract) {
    const HP5_MULTIPLY(waiting) next = {x, x_row, left, right, rows, columns, depth, subtract};
    if (joined == NULL) {
        HP5_MULTIPLY(multiply_now)(&next);
        return;
    }
    if (joined->steps.rows > 0 && HP5_MULTIPLY(goes_on_in_depth)(&joined->steps, &next)) {
        joined->steps.depth += depth;
        return;
    }
    if (joined->steps.rows > 0) HP5_MULTIPLY(end_steps)(joined);
    joined->steps = next;
}

/* All that wait. */
static __attribute__((unused)) void HP5_MULTIPLY(multiply_rest)(HP5_MULTIPLY_JOINED *joined) {
    if (joined->steps.rows > 0) HP5_MULTIPLY(end_steps)(joined);
    if (joined->block.rows > 0) HP5_MULTIPLY(end_block)(joined);
    HP5_MULTIPLY(multiply_now)(&joined->band);
}
