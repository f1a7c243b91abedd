import Foundation
import Testing

/// A disk for the record that a test fills and empties: the directory `disk` of a cluster.
struct FillableDisk {
    /// The means by which the disk is filled.
    enum Kind {
        /// A small file system in memory, visible to the coordinator alone: `ENOSPC`, if the system permits a mount.
        case fileSystem
        /// A size limit for the coordinator's files, which any user can set and lift at run time: `EFBIG`.
        case sizeLimit

        /// Whether a file system can be mounted for some processes alone.
        static let canMount = shellSucceeds("unshare \(namespaces) mount -t tmpfs tmpfs /tmp 2> /dev/null")

        /// The options of `unshare` and `nsenter`; a user other than root becomes root of a user namespace.
        fileprivate static let namespaces = geteuid() == 0 ? "--mount" : "--mount --user"

        /// The error message of a coordinator for this fault.
        var complaint: String {
            switch self {
            case .fileSystem: "The disk is full: nothing more can be kept in the record "
            case .sizeLimit: "baton.db cannot be opened or written: "
            }
        }
    }

    /// The coordinator's arguments for a record on this disk.
    static let coordinatorArguments = ["--store", "disk/baton.db"]

    let kind: Kind
    private let cluster: TestCluster
    private let path: String
    /// The process that keeps the file system mounted; nil if there is none.
    private let holder: ChildProcess?

    /// Makes the directory, and gives the disk to all coordinators that start later.
    init(_ kind: Kind, for cluster: TestCluster) async throws {
        self.kind = kind
        self.cluster = cluster
        path = cluster.home.appending(path: "disk").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        guard kind == .fileSystem else {
            holder = nil
            return
        }
        let options = Kind.namespaces + (geteuid() == 0 ? "" : " --map-root-user")
        let holder = try cluster.start(
            script:
                "exec unshare \(options) sh -c 'mount -t tmpfs -o size=4m tmpfs disk && echo mounted && exec sleep 1000'"
        )
        try await holder.output(containing: "mounted")
        self.holder = holder
        let keeping = geteuid() == 0 ? [] : ["--preserve-credentials"]
        let namespaces = Kind.namespaces.split(separator: " ").map(String.init)
        cluster.launcher = ["nsenter", "--wd", "--target", "\(holder.processID)"] + namespaces + keeping
    }

    /// Fills the disk completely.
    func fill() async throws {
        switch kind {
        case .fileSystem:
            // `cat` ends because the disk is full, with a status other than 0.
            let filler = try cluster.start(script: inside("cat /dev/zero > '\(path)/filler'"))
            #expect(try await filler.end() != 0)
        case .sizeLimit:
            try await limitFiles(to: "1:unlimited")
        }
    }

    /// Makes room again.
    func empty() async throws {
        switch kind {
        case .fileSystem:
            let remover = try cluster.start(script: inside("rm '\(path)/filler'"))
            try #require(await remover.end() == 0, "\(remover.errorText)")
        case .sizeLimit:
            try await limitFiles(to: "unlimited:unlimited")
        }
    }

    /// Releases the file system and all files as soon as no coordinator uses the disk.
    func release() async throws {
        holder?.signal(SIGTERM)
        try await holder?.end()
    }

    /// A shell command that runs with a view of the disk.
    private func inside(_ command: String) -> String {
        "exec \(cluster.launcher.joined(separator: " ")) sh -c \"\(command)\""
    }

    private func limitFiles(to limits: String) async throws {
        let coordinator = try #require(cluster.coordinator).processID
        let setter = try cluster.start(script: "prlimit --pid \(coordinator) --fsize=\(limits)")
        try #require(await setter.end() == 0, "\(setter.errorText)")
    }
}
