@_spi(Baton) import BatonKeys
import Foundation
import Testing

extension EndToEndTests {
    /// The first process of a container, as that of a namespace of processes.
    @Suite("Containers", .timeLimit(.minutes(60)))
    struct ContainerTests {
        /// Leaves two kinds of orphans behind: members of its group, which are killed, and a process of another session.
        private static let orphaning =
            "mkfifo r$BATON_JOB; sleep 1000 & sleep 1000 & setsid sh -c ': > r$BATON_JOB' & : < r$BATON_JOB"
        /// Fails while an ended process is left unreaped.
        private static let looking = "! grep -h '^State:.Z' /proc/[0-9]*/status"

        // A zombie for each orphan would fill the table of processes: pikoci 681.
        @Test(
            "As the first process of a container, start and worker reap the orphans of operations and of a script",
            .enabled(if: ProcessNamespace.isAvailable, "this needs namespaces of processes"),
            arguments: [true, false]
        )
        func orphans(_ isWholeCluster: Bool) async throws {
            try await withCluster(workers: isWholeCluster ? nil : 0) { cluster in
                let first: ChildProcess
                // A script that starts a process in the background, and then turns into Baton, leaves it in Baton's own group.
                func asFirst(_ command: String) -> String {
                    "mkfifo child; exec \(ProcessNamespace.unshare) sh -c \": > child & exec \(command)\""
                }
                if isWholeCluster {
                    let address = "--coordinator 'tcp://127.0.0.1:*' --http off"
                    first = try cluster.start(
                        script: asFirst("\(TestCluster.baton) start --workers 2 \(address)")
                    )
                    try await cluster.noteEndpoint(of: first)
                } else {
                    let key = try cluster.giveKey(of: .worker)
                    let options = "--name w1 --memory-control sampling"
                    first = try cluster.start(
                        script: "\(key); \(asFirst("\(TestCluster.baton) worker \(options)"))"
                    )
                    try await first.error(containing: "welcomed")
                }
                #expect(try await cluster.start(script: ": < child").end() == 0)
                for _ in 1...3 {
                    #expect(try await cluster.baton("run", "--", "sh", "-c", Self.orphaning).status == 0)
                }
                // A worker looks for orphans at most once a second, at the end of an operation.
                let deadline = ContinuousClock.now + .seconds(3600)
                var last = try await cluster.baton("run", "--", "sh", "-c", Self.looking)
                while last.status != 0, .now < deadline {
                    last = try await cluster.baton("run", "--", "sh", "-c", Self.looking)
                }
                #expect(last.status == 0, "\(last)")
                if isWholeCluster {
                    _ = try await cluster.baton("shutdown")
                } else {
                    _ = try await cluster.baton("stop", "w1")
                }
                try await first.end()
            }
        }

        @Test(
            "As the first process of a container, a coordinator leaves no ended process behind",
            .enabled(if: ProcessNamespace.isAvailable, "this needs namespaces of processes")
        )
        func coordinator() async throws {
            try await withCluster(workers: nil) { cluster in
                let home = cluster.home.path
                let command = "\(TestCluster.baton) coordinator --listen 'tcp://127.0.0.1:*' --http off"
                let first = try cluster.start(
                    script: """
                        mkfifo \(home)/child
                        exec \(ProcessNamespace.unshare) sh -c ": > \(home)/child & exec \(command)"
                        """
                )
                try await cluster.noteEndpoint(of: first)
                let coordinator = try #require(
                    ProcessesOfTest.all(of: home).first {
                        $0.command.hasPrefix(TestCluster.program) && $0.command.contains(" coordinator ")
                    }
                )
                // The child of the coordinator ends now.
                let looking = "grep -l '^[0-9]* ([^)]*) . \(coordinator.processID) ' /proc/[0-9]*/stat 2> /dev/null"
                let watch = try cluster.start(script: ": < \(home)/child; while \(looking); do :; done")
                #expect(try await watch.end() == 0)
                _ = try await cluster.baton("shutdown")
                try await first.end()
            }
        }
    }
}

/// A namespace of processes, whose first process gets all orphans.
private enum ProcessNamespace {
    /// The command that runs another as the first process of a namespace.
    static let unshare =
        "unshare --pid --fork --kill-child --mount-proc --mount" + (geteuid() == 0 ? "" : " --user --map-root-user")

    static let isAvailable = shellSucceeds("\(unshare) true 2> /dev/null")
}
