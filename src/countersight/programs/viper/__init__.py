"""Python programs in the manner of ViperGPT: `execute_command(image)`, run in a sandbox."""

from countersight.programs.viper.extraction import python_of
from countersight.programs.viper.image_patch import FUNCTIONS, METHODS, SEEN_OF_A_PATCH, ImagePatch, Tools
from countersight.programs.viper.sandbox import Sandbox

__all__ = ["FUNCTIONS", "METHODS", "SEEN_OF_A_PATCH", "ImagePatch", "Sandbox", "Tools", "python_of"]
