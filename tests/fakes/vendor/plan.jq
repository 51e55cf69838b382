# SPDX-License-Identifier: MIT
# From the record of a machine (facts.json) the double.plan of libraries that answer what it says
# they answered: jq -r -f plan.jq facts.json (docs/background/testing.md).
def version_number: split(".") | (.[0] | tonumber) * 1000 + (.[1] | tonumber) * 10;
def bit: if . then 1 else 0 end;
def position_in($names): . as $name | $names | index($name);
def compute_mode: position_in(["default", "exclusive-thread", "prohibited", "exclusive-process"]);
def fabric_state: position_in(["not-supported", "not-started", "in-progress", "completed"]);
def clock_reasons: map(pow(2; position_in(["idle", "applications_clocks", "sw_power_cap", "hw_slowdown",
    "sync_boost", "sw_thermal", "hw_thermal", "hw_power_brake", "display_clocks", "board_limit",
    "reliability"]))) | add // 0;

# The value of a fact, nothing where it has none.
def have($fact): .[$fact].value | select(. != null);
def or_none(filter): if . == null then "-" else filter end;
# The groups KIND/0, KIND/1, … in their order.
def instances($kind): . as $record | [range(0; 64) | $record["\($kind)/\(.)"] // empty];

# What a GPU answers; what its record does not say, it does not have.
def gpu:
    (("name", "uuid", "bus_id", "utilization_percent", "mig_instances", "pcie_generation",
      "pcie_generation_max", "pcie_width", "pcie_width_max", "clock_sm_mhz", "clock_sm_max_mhz",
      "temperature_c", "power_mw", "power_limit_mw", "power_default_mw", "ecc_uncorrected_volatile",
      "ecc_uncorrected_aggregate", "remapped_correctable", "remapped_uncorrectable",
      "memory_total_bytes", "memory_used_bytes", "nvlinks_inactive") as $fact |
        have($fact) | "\($fact | sub("_(percent|mhz|c|mw|bytes)$"; "")) \(.)"),
    (("display_active", "persistence", "remap_pending", "remap_failure", "retired_pages_pending") as $fact |
        have($fact) | "\($fact) \(bit)"),
    "ecc \(.ecc.value | or_none(bit))",
    "mig \(.mig.value | or_none(bit))",
    "nvlinks \((.nvlinks_active.value // 0) + (.nvlinks_inactive.value // 0))",
    "fabric_state \(.fabric_state.value | or_none(fabric_state))",
    (have("capability") | split(".") | "capability_major \(.[0])", "capability_minor \(.[1])"),
    (have("peers") | "peer_access \(length > 0 | bit)"),
    (have("memory_bytes") | "memory_total \(.)"),
    (.memory_total_bytes.value as $total | .memory_used_bytes.value as $used | have("memory_free_bytes") |
        select($total and $used) | "memory_reserved \([$total - $used - ., 0] | max)"),
    (have("compute_mode") | "compute_mode \(compute_mode)"),
    (have("clock_event_reasons") | "clock_event_reasons \(clock_reasons)"),
    (have("processes") | "processes \(length)", (to_entries[] | "process_\(.key + 1) \(.value)"));

. as $record |
(.["answer/libcuda.so.1"] // {}) as $cuda |
(.["answer/libnvidia-ml.so.1"] // {}) as $nvml |
[instances("cuda"), instances("nvml")] as $halves |
[range(0; $halves | map(length) | max) as $n | ($halves[0][$n] // {}) * ($halves[1][$n] // {})] as $gpus |
"gpus \($gpus | length)",
($nvml | have("driver_version") | "driver \(.)", "nvml 12.\(.)"),
($cuda | have("version") | "cuda \(version_number)"),
($cuda | have("init") | select(. != 0) | "cuInit returns \(.)"),
($nvml | have("init") | select(. != 0) | "nvmlInit_v2 returns \(.)"),
($record.cuda // {} | have("count") | "cuDeviceGetCount gives \(.)"),
($record.nvml // {} | have("count") | "nvmlDeviceGetCount_v2 gives \(.)"),
($record.nvml // {} | "confidential \(.confidential.value | or_none(bit))",
    "confidential_ready \(.confidential_ready.value | or_none(bit))"),
($gpus | to_entries[] | .key as $n | .value | "gpu \($n) \(gpu)"),
($record | to_entries[] | select(.key | startswith("answer/libcudart.so.")) | .value |
    have("version") | "cudart \(version_number)")
