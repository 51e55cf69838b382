/* SPDX-License-Identifier: MIT */
#include "host/child/asking_private.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/strlist.h"
#include "host/child/child_process.h"
#include "host/root/clock.h"

/* How long killed children may take to go before they are left behind. */
#define GO_AWAY_MS 950

/* What the pipes of an ended child may still hold: their capacity, unless the child raised that. */
#define LEFTOVER_MAX ((size_t)1 << 20)

struct asked {
    const struct asking *asking;
    struct reply *reply;
    struct child_process child;
    struct asking_lines lines;
    bool running;
    bool late; /* killed at the deadline */
};

static size_t read_output(struct asked *asked)
{
    char buffer[16384];
    size_t size = child_read(&asked->child.output, buffer, sizeof(buffer));
    size_t room = ASKING_OUTPUT_MAX - asked->reply->output.size;
    text_append_n(&asked->reply->output, buffer, size < room ? size : room);
    return size;
}

static size_t read_answers(struct asked *asked)
{
    char buffer[16384];
    size_t size = child_read(&asked->child.answers, buffer, sizeof(buffer));
    asking_lines_take(&asked->lines, buffer, size, &asked->reply->answers);
    return size;
}

static void read_leftover(struct asked *asked)
{
    size_t total = 0;
    size_t count = 1;
    while (count > 0 && total < LEFTOVER_MAX) {
        count = read_answers(asked);
        count += read_output(asked);
        total += count;
    }
}

static char *describe_time(uint64_t timeout_ms)
{
    uint64_t tenths = (timeout_ms + 50) / 100;
    if (tenths == 0)
        return mem_printf("no answer in %u ms", (unsigned)timeout_ms);
    if (tenths % 10 == 0)
        return mem_printf("no answer in %u s", (unsigned)(tenths / 10));
    return mem_printf("no answer in %u.%u s", (unsigned)(tenths / 10), (unsigned)(tenths % 10));
}

static char *describe_status(int wait_status, const char *said)
{
    if (child_exhausted(wait_status, said))
        return mem_string("out of memory");
    if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == ASKING_EXIT_CUT)
        return mem_string("closed its answer pipe");
    if (WIFEXITED(wait_status))
        return mem_printf("exited with code %d", WEXITSTATUS(wait_status));
    int number = WTERMSIG(wait_status);
    AUTO_FREE char *name = child_signal_name(number);
    return mem_printf("killed by %s%s", name,
                      number == SIGSYS    ? " for signalling another process"
                      : number == SIGKILL ? " perhaps for lack of memory"
                                          : "");
}

/* Sets the reason, "what in STEP". */
static void give_reason(struct asked *asked, const char *what)
{
    const char *step = asked->lines.step;
    free(asked->reply->reason);
    asked->reply->reason = mem_printf("%s%s%s", what, step ? " in " : "", step ? step : "");
}

static void judge(struct asked *asked, const char *how)
{
    int number = child_process_failure(&asked->child);
    if (number != 0)
        asked->reply->reason =
            mem_printf("not asked: cannot set up a process: %s", strerror(number));
    else if (asked->lines.refused)
        asked->reply->reason = mem_printf("not asked: %s", asked->lines.refused);
    else if (asked->lines.overflow)
        give_reason(asked, "answered more than gpuenv keeps");
    else if (asked->lines.done)
        asked->reply->complete = true;
    else
        give_reason(asked, how);
}

/* The group is killed in any case, before the leader is reaped, while its number cannot be anyone
 * else's. */
static void finish(struct asked *asked, uint64_t timeout_ms)
{
    int wait_status = 0;
    child_process_kill(&asked->child);
    read_leftover(asked);
    bool gone = child_process_reap(&asked->child, 0, &wait_status);
    AUTO_FREE char *how = asked->late
                              ? describe_time(timeout_ms)
                              : describe_status(wait_status, text_string(&asked->reply->output));
    AUTO_FREE char *left = mem_printf("%s; killed, but still in the kernel (state D), pid %ld,",
                                      how, (long)asked->child.pid);
    judge(asked, gone ? how : left);
    child_process_close(&asked->child);
    asked->running = false;
}

static int wait_time(const struct asked *asked, size_t count, uint64_t deadline)
{
    int shortest = INT_MAX;
    for (size_t i = 0; i < count; i++) {
        int wait = asked[i].running ? child_process_wait_ms(&asked[i].child, deadline) : INT_MAX;
        shortest = wait < shortest ? wait : shortest;
    }
    return shortest;
}

static void wait_for_any(const struct asked *asked, size_t count, uint64_t deadline)
{
    struct pollfd *fds = mem_alloc(3 * count * sizeof(*fds));
    for (size_t i = 0; i < count; i++) {
        const struct child_process *child = &asked[i].child;
        fds[3 * i] = (struct pollfd){.fd = child->output, .events = POLLIN};
        fds[3 * i + 1] = (struct pollfd){.fd = child->answers, .events = POLLIN};
        fds[3 * i + 2] = (struct pollfd){.fd = child->pidfd, .events = POLLIN};
    }
    poll(fds, (nfds_t)(3 * count), wait_time(asked, count, deadline));
    free(fds);
}

/* Takes what the children say until all have ended or the deadline comes. */
static void watch(struct asked *asked, size_t count, uint64_t timeout_ms, uint64_t deadline)
{
    for (;;) {
        bool any = false;
        for (size_t i = 0; i < count; i++) {
            if (!asked[i].running)
                continue;
            if (child_process_ended(&asked[i].child)) {
                finish(&asked[i], timeout_ms);
                continue;
            }
            read_output(&asked[i]);
            read_answers(&asked[i]);
            any = true;
        }
        if (!any || clock_ms() >= deadline)
            return;
        wait_for_any(asked, count, deadline);
    }
}

static void kill_late(struct asked *asked, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (asked[i].running) {
            asked[i].late = true;
            child_process_kill(&asked[i].child);
        }
}

/* The asking's own variable comes first: getenv(3) takes the first of two. */
static void begin(const struct host *host, const struct asking *asking, struct asked *asked)
{
    AUTO_ERROR struct error error = {0};
    AUTO_STRLIST struct strlist variables = {0};
    struct child_body body = {.run = asking_child, .context = asking};
    if (asking->variable)
        strlist_add(&variables, asking->variable);
    child_environment(host, &variables);
    asked->child = (struct child_process){.pidfd = -1, .output = -1, .answers = -1};
    asked->running = child_process_fork(&body, variables.items, &asked->child, &error);
    if (!asked->running)
        asked->reply->reason = mem_printf("not asked: %s: %s", error.what, error.why);
}

static void ask(const struct host *host, struct asked *asked, size_t count, uint64_t deadline)
{
    struct strays strays;
    uint64_t start = clock_ms();
    uint64_t timeout_ms = deadline > start ? deadline - start : 0;
    strays_begin(&strays);
    for (size_t i = 0; i < count; i++) {
        begin(host, asked[i].asking, &asked[i]);
        if (asked[i].running)
            strays_note_child(&strays, asked[i].child.pid);
    }
    watch(asked, count, timeout_ms, deadline);
    kill_late(asked, count);
    watch(asked, count, timeout_ms, deadline + GO_AWAY_MS);
    for (size_t i = 0; i < count; i++)
        if (asked[i].running)
            finish(&asked[i], timeout_ms);
    strays_end(&strays, deadline + GO_AWAY_MS);
}

static void refuse_all(struct reply *replies, size_t count, const char *reason)
{
    for (size_t i = 0; i < count; i++)
        replies[i].reason = mem_string(reason);
}

void asking_all(const struct host *host, const struct asking *askings, size_t count,
                uint64_t deadline_ms, struct reply *ret_replies)
{
    for (size_t i = 0; i < count; i++)
        ret_replies[i] = (struct reply){0};
    if (count == 0)
        return;
    if (!host_is_live(host)) {
        refuse_all(ret_replies, count, "not asked: gpuenv runs nothing from a tree");
        return;
    }
    if (clock_ms() >= deadline_ms) {
        refuse_all(ret_replies, count, "not asked: no time left");
        return;
    }
    struct asked *asked = mem_alloc(count * sizeof(*asked));
    struct sigaction before;
    for (size_t i = 0; i < count; i++)
        asked[i] = (struct asked){.asking = &askings[i], .reply = &ret_replies[i]};
    child_signal_take(&before);
    ask(host, asked, count, deadline_ms);
    child_signal_restore(&before);
    for (size_t i = 0; i < count; i++)
        asking_lines_free(&asked[i].lines);
    free(asked);
}

void reply_free(struct reply *reply)
{
    text_free(&reply->answers);
    text_free(&reply->output);
    free(reply->reason);
    *reply = (struct reply){0};
}
