/* Helpers of checked builds: messages, and that innocent writes pass. */
#include "tests/unit/run/task_fixture.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static Hp5TaskRun *prepared(Fixture *f, Hp5PartFunction function, Hp5Team **team) {
    fixture_start(f);
    int x = fixture_array(f, "x", &hp5_float64, 1, 1, false), a = fixture_lps(f, "A", 0, 1, 2, "Core");
    fixture_divide(f, a, fixture_list(f, a, x, HP5_IN_PLACE), 0, 0, function, "part", 4,
                   function == HP5_BLOCK_STRIDE ? 3 : 0, function == HP5_BLOCK_SIZE ? 1 : -1, -1);
    int64_t lo = 0, n = 30;
    f->items[0] = hp5_item_zeroed("x", &hp5_float64, 1, &lo, &n);
    *team = hp5_team_create(2, false);
    return hp5_run_prepare(&f->desc, *team, f->level_counts, f->args, f->items, NULL);
}

static void index_outside(Hp5PartFunction function, int64_t index) {
    Fixture f;
    Hp5Team *team;
    const Hp5Lpu *lpu = &prepared(&f, function, &team)->root.children[0].lpus[1];
    hp5_check_index(&lpu->views[0], 0, index, "x", "work", "a.hp5", 12);
}
static void in_block(void) { index_outside(HP5_BLOCK_SIZE, 3); }
static void out_of_block(void) { index_outside(HP5_BLOCK_SIZE, 8); }
static void out_of_stride(void) { index_outside(HP5_STRIDE, 6); }
static void out_of_blocks(void) { index_outside(HP5_BLOCK_STRIDE, 8); }

static void write_twice(Hp5Worker *w) {
    const Hp5Grid *grid = hp5_child(&w->run->root, 0);
    for (int round = 0; round < 3; round++) {
        for (Hp5Lpu *l = hp5_first(w, grid), *last = hp5_end(w, grid); l < last; l++)
            for (int64_t i = l->views[0].part[0].begin; i < l->views[0].part[0].end;
                 i++) /* padding is not counted */
                for (int again = 0; again < 2; again++)
                    hp5_check_write(w, &l->views[0], &i, l, "x", "work", "a.hp5", 7);
        hp5_sync_checked(w, 0);
    }
}
static void innocent(void) {
    Fixture f;
    Hp5Team *team;
    Hp5TaskRun *run = prepared(&f, HP5_BLOCK_SIZE, &team);
    hp5_run_execute(run, write_twice);
    hp5_run_release(run);
    hp5_item_release(f.items[0]);
    hp5_team_destroy(team);
    if (hp5_allocated_bytes() != 0) _exit(3);
}

static void same_element(Hp5Worker *w) {
    if (w->rank != 0) return;
    const Hp5Grid *grid = hp5_child(&w->run->root, 0);
    int64_t index = 5;
    hp5_check_write(w, &grid->lpus[1].views[0], &index, &grid->lpus[0], "x", "work", "a.hp5", 7);
    hp5_check_write(w, &grid->lpus[1].views[0], &index, &grid->lpus[1], "x", "work", "a.hp5", 7);
}
static void guilty(void) {
    Fixture f;
    Hp5Team *team;
    hp5_run_execute(prepared(&f, HP5_BLOCK_SIZE, &team), same_element);
}

static void wrong_coordinate(void) {
    Fixture f;
    Hp5Team *team;
    hp5_lpu_id(&prepared(&f, HP5_BLOCK_SIZE, &team)->root.children[0].lpus[1], 1, "a.hp5", 3);
}

static void expect(void (*work)(void), int status, const char *message) {
    char text[2000];
    int ends[2], result;
    if (pipe(ends) != 0) return;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        work();
        _exit(0);
    }
    close(ends[1]);
    size_t used = 0;
    ssize_t n;
    while ((n = read(ends[0], text + used, sizeof text - 1 - used)) > 0) used += (size_t)n;
    text[used] = 0;
    close(ends[0]);
    waitpid(child, &result, 0);
    CU_ASSERT(WIFEXITED(result) && WEXITSTATUS(result) == status);
    CU_ASSERT_STRING_EQUAL(text, message);
    if (strcmp(text, message) != 0) printf("\nfound    %sexpected %s", text, message);
}

static void test_index(void) {
    expect(in_block, 0, "");
    expect(out_of_block, 1,
           "a.hp5:12: run-time error: work: index 8 of dimension 1 of x is outside this LPU's part, which is "
           "3 to 7\n");
    expect(out_of_stride, 1,
           "a.hp5:12: run-time error: work: index 6 of dimension 1 of x is outside this LPU's part, which is "
           "1 index out of every 4 from 1 to 29\n");
    expect(out_of_blocks, 1,
           "a.hp5:12: run-time error: work: index 8 of dimension 1 of x is outside this LPU's part, which is "
           "4 indices out of every 12 from 4 to 29\n");
}

static void test_write(void) {
    expect(innocent, 0, "");
    expect(guilty, 1,
           "a.hp5:7: run-time error: work: LPUs 0 and 1 both write x[5] in one execution of the stage; each "
           "element must be "
           "written by one LPU\n");
}

static void test_lpu_id(void) {
    expect(
        wrong_coordinate, 1,
        "a.hp5:3: run-time error: lpuId[1]: the Space has 1 dimension, so the index must be from 0 to 0\n");
}

UNIT_MAIN("checked", {"index outside the part", test_index}, {"two writers", test_write},
          {"lpuId", test_lpu_id})
