"""Types of apart._show; the package re-exports them."""
from . import recording as recording, show as show
