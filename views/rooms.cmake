# The window's panels over plain data. Each line: a room, and the rooms and libraries it may use. No SQL, no CUDA, no
# threads in here.
triscope_room(views/data kernels/base kernels/inspect profiler/explore profiler/export profiler/paper profiler/paper/layers profiler/plan
  profiler/protocol profiler/record profiler/record/words profiler/statistics imgui_and_implot fmt::static)
triscope_room(views/model/attention kernels/inspect kernels/tensors profiler/export profiler/record views/data fmt::static)
triscope_room(views/model/attention/beside kernels/inspect views/data fmt::static)
triscope_room(views/model/styles profiler/record)
triscope_room(views/model/charts kernels/attention kernels/base kernels/base/text profiler/explore profiler/export profiler/plan
  profiler/record profiler/record/words profiler/statistics views/data views/model/styles views/model/tables fmt::static)
triscope_room(views/model/tables kernels/attention profiler/explore profiler/export profiler/paper profiler/record
  profiler/record/words profiler/statistics views/data views/model/styles fmt::static)
triscope_room(views/model/paper kernels/attention kernels/base kernels/base/text kernels/paper kernels/tensors
  profiler/export profiler/match3 profiler/paper profiler/paper/laws profiler/paper/layers profiler/record
  profiler/statistics views/data views/model/tables fmt::static)
triscope_room(views/model kernels/attention kernels/base kernels/base/text kernels/paper profiler/plan profiler/record
  profiler/search profiler/statistics views/data views/model/attention views/model/charts views/model/paper views/model/styles views/model/tables fmt::static)
triscope_room(views/command profiler/plan profiler/record profiler/search views/data views/model views/model/paper fmt::static)
triscope_room(views/parts kernels/base/text profiler/export profiler/record views/data views/model views/model/charts views/model/styles
  imgui_and_implot fmt::static)
triscope_room(views/curves fmt::static views/model/charts views/model/styles views/parts imgui_and_implot)
triscope_room(views/paper kernels/base/text kernels/paper kernels/tensors profiler/match3 profiler/paper profiler/paper/laws
  profiler/paper/layers profiler/plan views/charts views/data views/model/paper views/parts imgui_and_implot fmt::static)
triscope_room(views/tables kernels/base kernels/base/text profiler/explore profiler/paper profiler/plan profiler/record profiler/record/words
  profiler/statistics views/data views/model views/model/tables views/paper views/parts imgui_and_implot fmt::static)
triscope_room(views/charts kernels/base/text profiler/explore profiler/export profiler/plan profiler/record views/curves views/data views/model/charts views/parts
  imgui_and_implot fmt::static)
triscope_room(views/print/canvas kernels/base/text profiler/export views/data views/parts imgui_and_implot fmt::static)
triscope_room(views/print kernels/base kernels/inspect kernels/tensors profiler/export profiler/match3 profiler/paper
  profiler/paper/laws profiler/paper/layers profiler/record profiler/record/words profiler/statistics views/curves views/data views/model
  views/model/attention views/model/charts views/model/paper views/model/tables views/parts views/print/canvas imgui_and_implot fmt::static)
# Its copy of a library declares a type that a header of Dear ImGui only names: they cannot be one unit.
set_source_files_properties(views/print/canvas/pdf_font.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
triscope_room(views/setup kernels/base profiler/plan profiler/record views/data views/parts imgui_and_implot fmt::static)
triscope_room(views/history kernels/base/text profiler/plan profiler/record profiler/statistics views/data views/model views/model/tables views/parts
  imgui_and_implot fmt::static)
triscope_room(views/attention kernels/inspect kernels/tensors profiler/export profiler/record views/data views/model/attention
  views/model/attention/beside views/parts imgui_and_implot fmt::static)
triscope_room(views/panels views/attention views/charts views/history views/model/attention views/model/tables views/parts views/setup
  views/tables)
triscope_room(views/shell kernels/base profiler/export profiler/plan profiler/record profiler/search views/command views/data views/model views/model/attention
  views/panels views/parts imgui_and_implot fmt::static)
