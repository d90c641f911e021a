"""The command line's commands, one module each; `engine.__main__` reads the arguments and calls one of them.

A command takes the parsed arguments and returns the exit code; EngineErrors rise to `main`, which prints them.
"""
