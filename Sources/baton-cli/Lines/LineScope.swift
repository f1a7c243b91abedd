@_spi(Baton) import BatonKeys

/// What decides for which coordinator, with which key and into which job a line of make is submitted.
///
/// `with-job` runs a line only if all of it is as `with-job` has left it: a recipe may name another job, coordinator or key.
struct LineScope: Equatable, Sendable {
    private static let names = [
        RunJob.variable, CoordinatorAccess.variable, CoordinatorAccess.insecureVariable, KeyLookup.variable,
        KeyLookup.fileVariable, KeyLookup.operationVariable, "BATON_OPERATION", "BATON_HOME", "XDG_STATE_HOME", "HOME",
    ]

    private let values: [[UInt8]]

    /// The scope in an environment; an unset variable counts as an empty one.
    ///
    /// - Parameter value: the value of a variable.
    init(_ value: (_ name: String) -> [UInt8]?) {
        values = Self.names.map { value($0) ?? [] }
    }
}
