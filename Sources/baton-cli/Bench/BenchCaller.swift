@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonProcesses

/// A user of a benchmark's cluster who types commands: the options and the environment of the commands.
struct BenchCaller {
    /// The options by which a command finds the coordinator and its key.
    let options: [String]
    private let environment: ProcessEnvironment

    /// Describes the user of a cluster.
    ///
    /// - Parameters:
    ///   - access: the way to the coordinator.
    ///   - cluster: the benchmark's own cluster, with keys of its own; nil for a cluster given by the user.
    ///   - global: the options of the benchmark.
    init(_ access: CoordinatorAccess, _ cluster: BenchCluster?, _ global: GlobalOptions) throws(CommandFailure) {
        let home = if let cluster { cluster.directory.path } else { try global.homeDirectory }
        options =
            ["--coordinator", access.endpoint, "--home", home] + (access.key == nil ? ["--insecure"] : [])
        environment = cluster == nil ? .inherited() : .withoutKeys
    }

    /// A place for the processes of commands.
    func children() throws -> ChildProcesses { try ChildProcesses(environment) }
}
