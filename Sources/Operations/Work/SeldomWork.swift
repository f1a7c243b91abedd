/// The properties of a work that few works have.
///
/// Every dispatch copies its work: the properties are behind one reference, which costs less than a field for each.
final class SeldomWork: Hashable, Sendable {
    /// The properties, with their defaults.
    struct Properties: Hashable {
        /// The bytes that become standard input; nil for none.
        var input: [UInt8]?
        /// The names of the columns of the array's items; empty for items without columns.
        var columns: [String] = []
        /// The file for standard output; nil for the worker's own.
        var outputFile: String?
        /// The file for standard error; nil for the worker's own.
        var errorFile: String?
        /// The signal that asks the programs to end.
        var stopSignal = OperationSignal.terminate
        /// Which attempts leave their result.
        var keepResult = ResultKeeping.onSuccess
        /// The permissions that new files do not get; nil for the worker's own mask.
        var umask: FileMask?
        /// The patterns for the files that the programs leave.
        var outputs: [String] = []
        /// How many workers are to keep the files that the programs leave.
        var copies = 1
        /// The places of inputs in the programs' directory, by the patterns that pick them.
        var picks: [String: String] = [:]
        /// Where the programs run.
        var workspace = Workspace.shared
    }

    let properties: Properties

    /// Keeps properties; nil if all have their defaults.
    init?(_ properties: Properties) {
        guard properties != Properties() else { return nil }
        self.properties = properties
    }

    static func == (left: SeldomWork, right: SeldomWork) -> Bool {
        left === right || left.properties == right.properties
    }

    func hash(into hasher: inout Hasher) { hasher.combine(properties) }
}
