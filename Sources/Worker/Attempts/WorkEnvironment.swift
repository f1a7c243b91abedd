@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses

/// The environment that the attempts of similar works start from, encoded once.
///
/// It has nothing of a single attempt: each launch sets ``AttemptVariable`` anew.
final class WorkEnvironment {
    /// The worker's variables, the works' variables, and Baton's variables that the attempts have in common.
    let environment: ProcessEnvironment
    /// Whether the same works would get the same environment later.
    let isLasting: Bool
    /// The names of the variables that differ, in the order of their numbers.
    private let names: [ProcessEnvironment.Name]
    /// The works' variables.
    private var variables: [String: String]
    private let directory: String?
    private let queue: String
    /// Whether each of the attempts runs in a directory of its own.
    private let hasWorkspace: Bool
    /// The name of the variable with the path of an attempt's own directory; nil where that is none of Baton's variables.
    let workspaceName: ProcessEnvironment.Name?

    /// Encodes the environment of an attempt's work.
    ///
    /// - Throws: `LaunchFailure` for a variable that execve(2) cannot express.
    init(of assigned: AssignedWork, _ services: AttemptServices) throws(LaunchFailure) {
        variables = assigned.work.environment
        directory = assigned.work.directory
        queue = assigned.queue
        hasWorkspace = assigned.hasWorkspace
        var shared = assigned.work.environment
        // No work says what describes its operation; what it says of a span counts where the attempt's own is unknown.
        for variable in AttemptVariable.allCases where variable != .trace { shared[variable.text] = nil }
        shared[TraceContext.parentVariable] = nil
        shared["BATON_QUEUE"] = assigned.queue
        shared["BATON_COORDINATOR"] = services.coordinator
        var dependsOnLinks = false
        let tellsDirectory =
            shared[LogicalDirectory.variable] == nil && !services.environment.contains(LogicalDirectory.variable)
        if tellsDirectory, !hasWorkspace {
            let (directory, start) = (assigned.work.directory, services.workingDirectory)
            shared[LogicalDirectory.variable] = LogicalDirectory.path(entering: directory, from: start)
            dependsOnLinks = LogicalDirectory.dependsOnLinks(entering: directory, from: start)
        }
        isLasting = !dependsOnLinks
        let environment = try services.environment.setting(shared)
        self.environment = environment
        names = AttemptVariable.allCases.map { environment.name($0.text) }
        workspaceName = tellsDirectory && hasWorkspace ? environment.name(LogicalDirectory.variable) : nil
    }

    /// The name of a variable for ``environment``.
    func name(of variable: AttemptVariable) -> ProcessEnvironment.Name { names[variable.rawValue] }

    /// The number of bytes of the works' variables.
    var ownLength: Int { variables.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } }

    /// Whether this is the environment of an attempt's work.
    func serves(_ assigned: AssignedWork) -> Bool {
        guard queue.hasSameBytes(as: assigned.queue), directory.hasSameBytes(as: assigned.work.directory),
            hasWorkspace == assigned.hasWorkspace, variables.hasSameBytes(as: assigned.work.environment)
        else { return false }
        // The other attempts of the same message have copies.
        variables = assigned.work.environment
        return true
    }
}
