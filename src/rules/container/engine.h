/* SPDX-License-Identifier: MIT */
#ifndef RULES_CONTAINER_ENGINE_H
#define RULES_CONTAINER_ENGINE_H

#include "rules/engine/context.h"

/* What the rules about engines ask of the record. */

/* For a rule about instances of that kind. False, and the check is ended, where nothing is to be
 * run, and, with the words none, where there is no instance. */
bool container_require_some(struct rule_context *context, const char *kind, const char *none);

/* For a rule about the engines of this machine. False, and the check is ended, where nothing is to
 * be run, where there is no engine, and where no driver runs that a container could get. */
bool container_require_engine(struct rule_context *context);

/* The group of the engine of that instance ("docker"); NULL: it is not here. */
const char *container_engine(const struct facts *facts, const char *instance);

/* True when the engine's daemon runs, or it has none, and its containers run on this machine. */
bool container_engine_works(const struct facts *facts, const char *group);

/* What a list of the group begins with; NULL: it is empty, or not known. */
const char *container_first(const struct facts *facts, const char *group, const char *name);

/* True when a program of NVIDIA's toolkit is installed. */
bool container_has_toolkit(const struct facts *facts);

/* Adds as a fix that the toolkit is installed from its package, or upgraded. */
void container_install_toolkit(struct rule_context *context, struct finding *finding);

#define CONTAINER_RESTART_DOCKER "sudo systemctl restart docker"

/* Adds as a fix that Docker is told of NVIDIA's runtime, and restarted. option: a further word of
 * the command, or ""; note may be NULL. */
void container_configure_docker(struct finding *finding, const char *note, const char *option);

/* True for a specification of CDI that describes devices of NVIDIA's. */
bool container_spec_is_nvidia(const struct facts *facts, const char *group);

/* True when the engine of that instance ("podman", "docker") is here and reads specifications. */
bool container_uses_cdi(const struct facts *facts, const char *instance);

/* True when the release of the engine is known, and before that of the threshold of this name. */
bool container_engine_is_before(struct rule_context *context, const char *instance,
                                const char *threshold);

/* Adds as a fix that the specification at path is written again. */
void container_write_spec(struct finding *finding, const char *path);

#endif
