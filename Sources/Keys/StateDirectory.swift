/// The directory of a user's state: the record, the keys and the outputs of workers.
@_spi(Baton) public enum StateDirectory {
    /// The directory that an environment names: `BATON_HOME`, else `baton` in the state directory of the XDG base directory
    /// specification.
    ///
    /// An empty variable counts as a missing one, and so does a relative `XDG_STATE_HOME`, as the specification says.
    public static func path(in environment: [String: String]) -> String {
        if let home = environment["BATON_HOME"], !home.isEmpty { return home }
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/baton" }
        let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 }
        return (home ?? "/tmp") + "/.local/state/baton"
    }
}
