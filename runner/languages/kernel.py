"""A kernel in Python without the machine's settings of IPython: `python runner/languages/kernel.py -f FILE`.

IPython reads /etc/ipython and its interpreter's etc/ipython, whatever IPYTHONDIR says. Python 3.6 syntax.
"""

import sys


def forget():
    """Empties IPython's lists of the machine's folders with settings and startup files, for this process."""
    from IPython.core import application

    for name in ("SYSTEM_CONFIG_DIRS", "ENV_CONFIG_DIRS"):
        del getattr(application, name, [])[:]


if __name__ == "__main__":
    del sys.path[0]  # this file's folder, before anything is imported
    forget()
    from ipykernel import kernelapp

    kernelapp.launch_new_instance()
