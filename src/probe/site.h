/* SPDX-License-Identifier: MIT */
#ifndef PROBE_SITE_H
#define PROBE_SITE_H

#include "base/strlist.h"
#include "host/host.h"

/* Adds the directories Python packages are installed in (site-packages, dist-packages) of every
 * Python 3 that can be seen without running one: the distribution's, those of VIRTUAL_ENV,
 * CONDA_PREFIX, PYENV_VERSION and HOME/.local, those beside each python3 on PATH, /opt/conda,
 * /opt/venv. Real paths, each once. */
void site_directories(const struct host *host, struct strlist *directories);

/* Adds those below one prefix (/usr, a virtual environment), real paths, each once. */
void site_of_prefix(const struct host *host, const char *prefix, struct strlist *sites);

/* Adds the prefixes that the shims of pyenv in root stand for: those that PYENV_VERSION or the file
 * "version" names. They need not be there. */
void site_pyenv_prefixes(const struct host *host, const char *root, struct strlist *prefixes);

#endif
