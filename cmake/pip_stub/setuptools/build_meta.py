import name_only as __legacy__  # what pip asks for where a package has no pyproject.toml
from name_only import build_wheel, prepare_metadata_for_build_wheel
