# shellcheck shell=bash disable=SC2154 # of run: work, root, quick, pid, double, took
# SPDX-License-Identifier: MIT
# The script of `integrate spark`: a standalone master and worker find the GPUs, and a task in an executor has them.
if [ ! -e "$root/opt/pyspark" ]; then
    [ -e "$work/venv/bin/spark-submit" ] || python 'pyspark<4'
    cp -r "$work"/venv/lib/python3*/site-packages/{pyspark,py4j} "$root/opt/"
fi
script=/opt/gpuenv/spark/gpuenv-spark-gpus
class=org.apache.spark.deploy
spark() { inside env PYTHONPATH=/opt SPARK_HOME=/opt/pyspark SPARK_LOCAL_IP=127.0.0.1 GPUENV_LIMIT=3 "SPARK_WORKER_OPTS=$options" "$@"; }
options="-Dspark.worker.resource.gpu.amount=2 -Dspark.worker.resource.gpu.discoveryScript=$script"
# daemon NAME CLASS OPTION...: until end NAME
daemon() {
    local name=$1
    shift
    spark sh -c 'echo $$ >"/run/$0.pid"; exec /opt/pyspark/bin/spark-class "$@"' "$name" "$@" --host 127.0.0.1 >"$work/$name.log" 2>&1 &
}
end() { inside sh -c 'kill "$(cat "/run/$0.pid")"' "$1" 2>"$work/null"; }
start_worker() {
    daemon worker $class.worker.Worker spark://127.0.0.1:7077 --cores 1 --memory 512m -d /tmp
}
cat >"$root/opt/addresses.py" <<'PY'
from pyspark import SparkConf, SparkContext, TaskContext
gpu = "resource.gpu"
conf = SparkConf().setMaster("spark://127.0.0.1:7077").set("spark.ui.enabled", "false").set("spark.executor.memory", "512m")
for name, value in {f"spark.executor.{gpu}.amount": 2, f"spark.task.{gpu}.amount": 2,
                    f"spark.executor.{gpu}.discoveryScript": "/opt/gpuenv/spark/gpuenv-spark-gpus"}.items():
    conf.set(name, str(value))
context = SparkContext(conf=conf)
print("addresses", context.parallelize([0], 1).map(lambda _: TaskContext.get().resources()["gpu"].addresses).collect())
PY
mode pair
daemon master $class.master.Master --port 7077
await 60 grep -q 'I have been elected leader' "$work/master.log"
start_worker
see "Spark $(spark python3 -c 'import pyspark; print(pyspark.__version__)'): a worker with the discovery script registers" \
    await 60 grep -q 'Registering worker' "$work/master.log"
see "an executor's task has the addresses" eval 'spark timeout 150 python3 /opt/addresses.py | tee "$work/asked" | grep -q "addresses \[\[.0., .1.\]\]"'
echo "       $(cat "$work/asked")"
end worker
no_worker() { ! await 20 grep -q 'Successfully registered' "$work/worker.log" && grep -aq 'is less than what the user requested' "$work/worker.log"; }
for how in nouveau hang crash loader; do
    mode $how
    start_worker
    see "$how: no address, and no worker" no_worker
    echo "       $(grep -aoE 'gpuenv-spark-gpus: .*|Resource: gpu.*less than.*' "$work/worker.log" | head -n 2 | cut -c 1-150 | paste -sd ';')"
    end worker
done
end master
