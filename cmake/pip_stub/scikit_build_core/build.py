"""A build backend that only names the package, so that `pip download` saves the sdist without running third-party code."""
import os


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = "imgui_bundle-1.93.0.dist-info"
    os.makedirs(os.path.join(metadata_directory, folder))
    with open(os.path.join(metadata_directory, folder, "METADATA"), "w") as file:
        file.write("Metadata-Version: 2.1\nName: imgui-bundle\nVersion: 1.93.0\n")
    return folder


def build_wheel(*arguments, **options):
    raise RuntimeError("download only")
