/* SPDX-License-Identifier: MIT */
#include "cli/synonym.h"

#include "base/text.h"

#define UNINSTALL "gpuenv uninstall removes an installation"
#define UPGRADE                                                                                    \
    "gpuenv install cuda installs the newest version that fits, next to those already installed; " \
    "gpuenv does not install drivers"
#define SEARCH "gpuenv list --available lists what can be installed"
#define DOCTOR "gpuenv doctor says what is wrong with this machine"
#define INFO                                                                                       \
    "gpuenv doctor shows this machine, gpuenv gpu NAME shows a GPU model, and gpuenv list shows "  \
    "installations"
#define LATER                                                                                      \
    "this version does not have that command yet: gpuenv --help lists the commands that it has"

static const struct {
    const char *word, *advice;
} synonyms[] = {
    {"remove", UNINSTALL},
    {"rm", UNINSTALL},
    {"delete", UNINSTALL},
    {"purge", UNINSTALL},
    {"update", UPGRADE},
    {"upgrade", UPGRADE},
    {"add", "gpuenv install cuda cudnn installs what fits this machine"},
    {"get", "gpuenv install cuda cudnn installs what fits this machine"},
    {"setup", "gpuenv install cuda cudnn installs what fits this machine"},
    {"search", SEARCH},
    {"available", SEARCH},
    {"versions", SEARCH},
    {"check", "gpuenv doctor checks this machine, and gpuenv verify checks an installation"},
    {"test", "gpuenv doctor checks this machine, and gpuenv verify checks an installation"},
    {"diagnose", DOCTOR},
    {"diagnostics", DOCTOR},
    {"diag", DOCTOR},
    {"status", DOCTOR},
    {"info", INFO},
    {"show", INFO},
    {"fix", "gpuenv doctor --fix prints the fixes as a script"},
    {"repair", "gpuenv doctor --fix prints the fixes as a script"},
    {"activate", "eval \"$(gpuenv env cuda@12.8)\" sets the variables in this shell"},
    {"run", "gpuenv exec cuda@12.8 -- COMMAND runs a command with an installation"},
    {"switch", "gpuenv use cuda@12.8 chooses the installation in use"},
    {"clean", "gpuenv cache prune removes downloads"},
    {"lock", "gpuenv install --lock FILE writes a lock file"},
    {"summarize", LATER},
    {"completions", LATER},
};

const char *synonym_advice(const char *word)
{
    for (size_t i = 0; i < sizeof(synonyms) / sizeof(synonyms[0]); i++)
        if (string_equal(synonyms[i].word, word))
            return synonyms[i].advice;
    return NULL;
}
