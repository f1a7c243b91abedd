import Foundation
import Testing

/// A disk for the record that a test fills and empties: the directory `disk` of a cluster.
struct FillableDisk {
    /// How it is made to be full.
    enum Kind {
        /// A small file system in memory, which only the coordinator sees: `ENOSPC`, where the system lets one be mounted.
        case fileSystem
        /// A limit for the coordinator's files, which any user can set and lift while it runs: `EFBIG`.
        case sizeLimit

        /// Whether a file system can be mounted for some processes alone.
        static let canMount: Bool = {
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", "unshare \(namespaces) mount -t tmpfs tmpfs /tmp 2> /dev/null"]
            guard (try? process.run()) != nil else { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        }()

        /// The options of `unshare` and `nsenter`; who is not root gets a namespace in which he is.
        fileprivate static let namespaces = geteuid() == 0 ? "--mount" : "--mount --user"

        /// What a coordinator says of it.
        var complaint: String {
            switch self {
            case .fileSystem: "The disk is full: nothing more can be kept in the record "
            case .sizeLimit: "baton.db cannot be opened or written: "
            }
        }
    }

    /// What the coordinator is to be told, so that its record is there.
    static let coordinatorArguments = ["--store", "disk/baton.db"]

    let kind: Kind
    private let cluster: TestCluster
    private let path: String
    /// The process that the file system lives as long as; nil where there is none.
    private let holder: ChildProcess?

    /// Makes the directory, and lets the coordinators that are started from now on see the disk there.
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

    /// Leaves no room for anything more.
    func fill() async throws {
        switch kind {
        case .fileSystem:
            // It ends because the disk is full, with a status that says so.
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

    /// Lets the file system go, with what is on it, as soon as no coordinator uses it.
    func release() async throws {
        holder?.signal(SIGTERM)
        try await holder?.end()
    }

    /// A shell command that sees the disk.
    private func inside(_ command: String) -> String {
        "exec \(cluster.launcher.joined(separator: " ")) sh -c \"\(command)\""
    }

    private func limitFiles(to limits: String) async throws {
        let coordinator = try #require(cluster.coordinator).processID
        let setter = try cluster.start(script: "prlimit --pid \(coordinator) --fsize=\(limits)")
        try #require(await setter.end() == 0, "\(setter.errorText)")
    }
}
