-- Schema of a Triscope database, version 5. The single source: the programs embed this file; docs/schema.md explains it.
-- Run inside one transaction on an empty file. Later versions: add a step to profiler/store/store_schema.cpp and change this
-- file to what the steps lead to.
-- Times are integer nanoseconds (`_unix_ns`: wall clock since 1970); NULL means "not known", never zero.
PRAGMA application_id = 0x54524953;  -- "TRIS"
PRAGMA user_version = 5;

-- Strings that repeat thousands of times: kernel names of launches, counter names, flags.
CREATE TABLE text (
  id INTEGER PRIMARY KEY,
  value TEXT NOT NULL UNIQUE
) STRICT;

-- What is needed to trust or repeat a number. Equal environments share a row.
CREATE TABLE environment (
  id INTEGER PRIMARY KEY,
  device_id TEXT NOT NULL,              -- "cpu", "0", ...
  device_name TEXT NOT NULL,
  device_uuid TEXT NOT NULL,
  driver_version TEXT NOT NULL,
  cuda_version TEXT NOT NULL,
  cupti_version TEXT NOT NULL,
  power_limit_w REAL,
  max_sm_clock_mhz REAL,
  max_memory_clock_mhz REAL,
  peak_tflops REAL,                     -- dense, at max_sm_clock_mhz
  host TEXT NOT NULL,
  cpu_model TEXT NOT NULL,
  cpu_threads INTEGER NOT NULL,
  os TEXT NOT NULL,
  triscope_version TEXT NOT NULL,
  git_commit TEXT NOT NULL,
  compiler TEXT NOT NULL,
  compile_flags TEXT NOT NULL
) STRICT;

-- The last four columns: how much its rows change from one restart to the next (docs/method.md), as variances of
-- logarithms and their degrees of freedom (0: not known); of times, and of the ratios of rows that took turns.
CREATE TABLE sweep (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL UNIQUE CHECK (length(uuid) = 32),  -- random, hexadecimal: the identity that survives an import
  started_unix_ns INTEGER NOT NULL,
  finished_unix_ns INTEGER,             -- NULL: running or interrupted
  command TEXT NOT NULL,                -- the request as a command line
  request TEXT NOT NULL,                -- the request as JSON, for --resume
  environment INTEGER NOT NULL REFERENCES environment(id),
  planned INTEGER NOT NULL,             -- measurements in the plan
  starred INTEGER NOT NULL DEFAULT 0 CHECK (starred IN (0, 1)),
  time_variance REAL NOT NULL DEFAULT 0,
  time_degrees REAL NOT NULL DEFAULT 0,
  ratio_variance REAL NOT NULL DEFAULT 0,
  ratio_degrees REAL NOT NULL DEFAULT 0
) STRICT;

-- One problem: what is computed. Equal problems share a row.
CREATE TABLE config (
  id INTEGER PRIMARY KEY,
  form TEXT NOT NULL CHECK (form IN ('trilinear', 'determinant', 'dot_product', 'gemm')),
  mask TEXT NOT NULL CHECK (mask IN ('causal', 'full')),
  element TEXT NOT NULL CHECK (element IN ('fp32', 'bf16')),
  deterministic INTEGER NOT NULL CHECK (deterministic IN (0, 1)),
  batch INTEGER NOT NULL,
  seq_len INTEGER NOT NULL,
  q_heads INTEGER NOT NULL,
  kv_heads INTEGER NOT NULL,
  head_dim INTEGER NOT NULL,
  window1 INTEGER NOT NULL,
  window2 INTEGER NOT NULL,
  scale REAL,                           -- NULL: 1/sqrt(head_dim)
  k2_bias REAL NOT NULL,
  v2_bias REAL NOT NULL,
  sink REAL                             -- NULL: no sink
) STRICT;
CREATE INDEX config_by_shape ON config(window1, window2, seq_len);

CREATE TABLE kernel (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,                   -- kernel id: "cpu.fast"
  source_hash TEXT NOT NULL,            -- of what a pass is compiled from (docs/method.md); '': a pass that it does not have
  -- How it is shown, as the kernel itself said when it was first measured.
  label TEXT NOT NULL DEFAULT '',       -- "FlashAttention-3"; '': not known, the id stands for it
  short_label TEXT NOT NULL DEFAULT '', -- "FA3"
  kind TEXT NOT NULL DEFAULT 'simplicial' CHECK (kind IN ('simplicial', 'oracle', 'dot_product', 'gemm')),
  colour INTEGER,                       -- 0 or 1: which colours of charts are its own; NULL: those that are left
  rank INTEGER,                         -- of a baseline: others are related to the one of lowest rank; NULL: to none
  UNIQUE (name, source_hash)
) STRICT;

CREATE TABLE measurement (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  sweep INTEGER NOT NULL REFERENCES sweep(id) ON DELETE CASCADE,
  environment INTEGER NOT NULL REFERENCES environment(id),  -- the sweep's own, or the one it was resumed in
  config INTEGER NOT NULL REFERENCES config(id),
  kernel INTEGER NOT NULL REFERENCES kernel(id),
  instance TEXT NOT NULL,
  pass TEXT NOT NULL CHECK (pass IN ('forward', 'backward')),
  device_id TEXT NOT NULL,              -- "cpu", "0", ...
  timing_source TEXT NOT NULL CHECK (timing_source IN ('cupti', 'cuda_events', 'cpu_clock')),
  regime TEXT NOT NULL CHECK (regime IN ('sustained', 'burst')),
  status TEXT NOT NULL CHECK (status IN ('ok', 'skipped', 'failed', 'cancelled')),
  reason TEXT NOT NULL,                 -- why not ok, or a remark; '' when there is none
  started_unix_ns INTEGER NOT NULL,
  interleave_group INTEGER,             -- measurements of one sweep with the same group alternated block by block
  workspace_bytes INTEGER NOT NULL,
  error REAL,                           -- largest relative L2 error against the fp64 oracle
  useful_flops REAL,                    -- of one launch, exact count (docs/method.md)
  paper_flops REAL,                     -- of one launch, the paper's count
  median_ms REAL,                       -- this and the next five: NULL when there are no samples
  ci_low_ms REAL,                       -- 95 % interval of the median; NULL: unbounded
  ci_high_ms REAL,
  quartile1_ms REAL,
  quartile3_ms REAL,
  min_ms REAL,
  samples INTEGER NOT NULL,
  flagged INTEGER NOT NULL,
  converged INTEGER NOT NULL CHECK (converged IN (0, 1)),
  sm_clock_mhz REAL,                    -- as NVML reads it, median over the samples
  counters_note TEXT NOT NULL DEFAULT '',  -- why hardware counters that were asked for are not here
  restarts INTEGER NOT NULL DEFAULT 1,  -- how many restarts its samples come from (docs/method.md); 0: there are none
  power_w REAL,                         -- mean over the samples
  limiter TEXT NOT NULL DEFAULT ''      -- what held the clock down in at least half of the samples: "sw_power_cap"
) STRICT;
CREATE INDEX measurement_by_sweep ON measurement(sweep, config);

-- Error against the oracle, output by output.
CREATE TABLE output_error (
  measurement INTEGER NOT NULL REFERENCES measurement(id) ON DELETE CASCADE,
  output INTEGER NOT NULL REFERENCES text(id),              -- "o", "lse", "grad_q", ...
  error REAL,                           -- NULL: not a number
  PRIMARY KEY (measurement, output)
) STRICT, WITHOUT ROWID;

-- Every sample: a timed block of back-to-back launches (sustained) or one launch (burst). Flagged, never deleted.
CREATE TABLE sample (
  measurement INTEGER NOT NULL REFERENCES measurement(id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  started_ns INTEGER NOT NULL,          -- since the measurement's first sample
  duration_ns INTEGER NOT NULL,         -- per launch
  launches INTEGER NOT NULL,
  block INTEGER NOT NULL,               -- round of the interleaving
  sm_clock_mhz REAL,
  power_w REAL,
  temperature_c REAL,
  throttle_bits INTEGER,                -- NVML clocks-event reasons
  flag INTEGER REFERENCES text(id),     -- why this sample is doubtful; NULL: it is not
  restart INTEGER NOT NULL DEFAULT 0,   -- 0, 1, ...: samples of one restart come from one worker process
  PRIMARY KEY (measurement, ordinal)
) STRICT, WITHOUT ROWID;

-- Samples of a reference (dot-product attention) that it took in turns with the measurements of another group than its
-- own: what their ratios are made of. Its own time and interval come from its own group's samples, in `sample`.
CREATE TABLE turn_sample (
  measurement INTEGER NOT NULL REFERENCES measurement(id) ON DELETE CASCADE,
  interleave_group INTEGER NOT NULL,    -- of the measurements that it took turns with
  ordinal INTEGER NOT NULL,
  started_ns INTEGER NOT NULL,          -- since the first sample of this restart in these turns
  duration_ns INTEGER NOT NULL,         -- this and the rest: as in `sample`
  launches INTEGER NOT NULL,
  block INTEGER NOT NULL,
  sm_clock_mhz REAL,
  power_w REAL,
  temperature_c REAL,
  throttle_bits INTEGER,
  flag INTEGER REFERENCES text(id),
  restart INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (measurement, interleave_group, ordinal)
) STRICT, WITHOUT ROWID;

-- The same launch by another clock, in a process of its own without CUPTI. Never takes the place of the measurement.
CREATE TABLE cross_check (
  measurement INTEGER PRIMARY KEY REFERENCES measurement(id) ON DELETE CASCADE,
  timing_source TEXT NOT NULL CHECK (timing_source IN ('cupti', 'cuda_events', 'cpu_clock')),
  median_ms REAL,                       -- NULL: there is none, `reason` says why
  ci_low_ms REAL,                       -- 95 % interval of the median; NULL: unbounded
  ci_high_ms REAL,
  samples INTEGER NOT NULL,
  reason TEXT NOT NULL
) STRICT;

-- Kernel records of one launch.
CREATE TABLE launch (
  measurement INTEGER NOT NULL REFERENCES measurement(id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  name INTEGER NOT NULL REFERENCES text(id),
  grid_x INTEGER NOT NULL, grid_y INTEGER NOT NULL, grid_z INTEGER NOT NULL,
  block_x INTEGER NOT NULL, block_y INTEGER NOT NULL, block_z INTEGER NOT NULL,
  cluster_x INTEGER NOT NULL, cluster_y INTEGER NOT NULL, cluster_z INTEGER NOT NULL,
  registers_per_thread INTEGER NOT NULL,
  static_shared_bytes INTEGER NOT NULL,
  dynamic_shared_bytes INTEGER NOT NULL,
  local_bytes_per_thread INTEGER NOT NULL,
  start_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL,
  PRIMARY KEY (measurement, ordinal)
) STRICT, WITHOUT ROWID;

-- Hardware counters. They come from runs of their own and never provide latency.
CREATE TABLE counter (
  measurement INTEGER NOT NULL REFERENCES measurement(id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  name INTEGER NOT NULL REFERENCES text(id),
  unit INTEGER NOT NULL REFERENCES text(id),
  value REAL,                           -- NULL: not a number
  PRIMARY KEY (measurement, ordinal)
) STRICT, WITHOUT ROWID;

-- Counters over the time of one launch (PM sampling). Empty so far: nothing writes, reads or copies it.
CREATE TABLE timeline (
  measurement INTEGER NOT NULL REFERENCES measurement(id) ON DELETE CASCADE,
  series INTEGER NOT NULL,              -- 0, 1, ... within the measurement
  ordinal INTEGER NOT NULL,
  name INTEGER NOT NULL REFERENCES text(id),
  unit INTEGER NOT NULL REFERENCES text(id),
  time_ns INTEGER NOT NULL,             -- since the start of the launch
  value REAL,                           -- NULL: not a number
  PRIMARY KEY (measurement, series, ordinal)
) STRICT, WITHOUT ROWID;

-- What a person wrote about a sweep (measurement NULL) or about one measurement.
CREATE TABLE note (
  id INTEGER PRIMARY KEY,
  sweep INTEGER NOT NULL REFERENCES sweep(id) ON DELETE CASCADE,
  measurement INTEGER REFERENCES measurement(id) ON DELETE CASCADE,
  written_unix_ns INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX note_of_sweep ON note(sweep) WHERE measurement IS NULL;
CREATE UNIQUE INDEX note_of_measurement ON note(measurement) WHERE measurement IS NOT NULL;

-- The stable contract for scripts: one row per measurement. Columns are only ever added, at the end.
CREATE VIEW result AS
SELECT
  m.id AS measurement,
  m.sweep AS sweep,
  strftime('%Y-%m-%dT%H:%M:%SZ', m.started_unix_ns / 1000000000, 'unixepoch') AS started,
  CASE WHEN m.device_id = e.device_id THEN e.device_name WHEN m.device_id = 'cpu' THEN e.cpu_model
       ELSE m.device_id END AS device,
  k.name AS kernel,
  m.instance AS instance,
  k.source_hash AS source_hash,
  m.pass AS pass,
  c.form AS form,
  c.mask AS mask,
  c.element AS element,
  c.batch AS batch,
  c.seq_len AS seq_len,
  c.q_heads AS q_heads,
  c.kv_heads AS kv_heads,
  c.head_dim AS head_dim,
  c.window1 AS window1,
  c.window2 AS window2,
  c.scale AS scale,
  c.k2_bias AS k2_bias,
  c.v2_bias AS v2_bias,
  c.sink AS sink,
  c.deterministic AS deterministic,
  m.timing_source AS timing_source,
  m.regime AS regime,
  m.median_ms AS median_ms,
  m.ci_low_ms AS ci_low_ms,
  m.ci_high_ms AS ci_high_ms,
  m.samples AS samples,
  m.flagged AS flagged,
  m.sm_clock_mhz AS sm_clock_mhz,
  m.useful_flops / (m.median_ms * 1e9) AS tflops,
  m.paper_flops / (m.median_ms * 1e9) AS tflops_paper_count,
  CASE WHEN c.element = 'bf16' AND m.device_id = e.device_id THEN m.useful_flops / (e.peak_tflops * 1e6 /
    e.max_sm_clock_mhz * (SELECT value FROM counter WHERE measurement = m.id
     AND name = (SELECT id FROM text WHERE value = 'sm__cycles_elapsed.max') LIMIT 1)) END AS peak_fraction,
  m.error AS error,
  m.status AS status,
  m.reason AS reason,
  x.median_ms AS events_ms,
  m.restarts AS restarts,
  m.power_w AS power_w,
  e.power_limit_w AS power_limit_w,
  m.power_w * m.median_ms / 1e3 AS joules,
  m.power_w * m.median_ms * 1e9 / m.useful_flops AS joules_per_tflop,
  m.limiter AS limiter,
  e.max_sm_clock_mhz AS max_sm_clock_mhz,
  (SELECT value FROM counter WHERE measurement = m.id
   AND name = (SELECT id FROM text WHERE value = 'sm__cycles_elapsed.avg.per_second') LIMIT 1) / 1e6 AS counted_clock_mhz
FROM measurement AS m
JOIN environment AS e ON e.id = m.environment
JOIN config AS c ON c.id = m.config
JOIN kernel AS k ON k.id = m.kernel
LEFT JOIN cross_check AS x ON x.measurement = m.id AND x.timing_source = 'cuda_events';
