"""Does what a remedy (`Reason.fix`) says to a broken program, so that it can be seen whether that mends it.

`edits` changes source text; every other module holds, by kind of remedy, what following its words means. `repairs` is the
way in. A remedy that is no change of code is named in `repairs.ADVICE`, and a test demands that every one is either.
"""
