/* SPDX-License-Identifier: MIT */
#include "install/run/run.h"

bool run_interrupted(struct run *run, struct error *error)
{
    bool is_first = run->interrupt.number == 0;
    if (!interrupt_came(&run->interrupt, error))
        return false;
    if (is_first)
        progress_note(run->progress, "interrupted: removing unfinished files");
    return true;
}
