import CBatonLine

/// A line of a recipe, after make has filled in its variables.
struct MakeLine {
    let text: String

    /// Whether a word of the line is a name of make; `CLine.h` describes the rule.
    var namesMake: Bool { cline_names_make(text) != 0 }

    /// Whether the line is a recursion of make, which needs the jobserver, and whose lines need the slots.
    ///
    /// - Parameter flags: the variable `MAKEFLAGS` of this process; nil without one.
    func runsHere(flags: String?) -> Bool { cline_runs_here(text, flags ?? "") != 0 }
}
