# shellcheck shell=bash disable=SC2154 # of run: work, root, quick, pid, double, took
# SPDX-License-Identifier: MIT
# The files of `integrate kubernetes`, by the schemas of Kubernetes, and strictly: no key that the schema does not have.
"$work/venv/bin/python" -c 'import kubernetes_validate' 2>"$work/null" || python kubernetes-validate
validate() { # validate FILE [FROM TO]: in each version; with a fault made in it: refused
    "$work/venv/bin/python" - "$@" <<'PY'
import sys
import kubernetes_validate, yaml
versions = kubernetes_validate.utils.all_versions()
assert len(versions) > 10
text = open(sys.argv[1]).read().replace("GPUENV_IMAGE", "registry.example/gpuenv:1")
if sys.argv[2:]:
    assert sys.argv[2] in text
    text = text.replace(*sys.argv[2:])
for version in versions:
    for document in yaml.safe_load_all(text):
        kubernetes_validate.validate(document, version, strict=True)
PY
}
refused() { ! validate "$@" && grep -q 'ValidationError' "$work/err"; }
for file in daemonset init-container job; do
    see "kubernetes-validate $("$work/venv/bin/pip" list 2>"$work/null" | sed -n 's/^kubernetes-validate *//p') accepts $file.yaml, strictly" \
        validate "$root/opt/gpuenv/kubernetes/$file.yaml"
done
see "a misspelled key is refused" refused "$root/opt/gpuenv/kubernetes/job.yaml" backoffLimit backofLimit
see "a number in the place of words is refused" refused "$root/opt/gpuenv/kubernetes/daemonset.yaml" 'value: all' 'value: 1'
see "no file asks for a right of the API" test -z "$(grep -hE 'Role|serviceAccountName|hostPID|privileged' "$root"/opt/gpuenv/kubernetes/*.yaml)"
