@_spi(Baton) import BatonArguments

/// What `run` prints of the output of an array or a graph.
enum RunOutput: String, CaseIterable, ExpressibleByArgument {
    /// Each line as it comes, with its operation in front.
    case prefixed
    /// The output of the last attempt of each operation that has failed.
    case failed
    /// Nothing.
    case none
}
