@_spi(Baton) import BatonLogging
import Foundation
import Testing

@_spi(Baton) @testable import baton_cli

extension EndToEndTests {
    @Suite("SIGHUP", .timeLimit(.minutes(60)))
    struct ReloadTests {
        /// A certificate of a name with its key, in files that only this user may read.
        private func makeCertificate(_ name: String, days: Int = 1, in cluster: TestCluster) async throws {
            let process = try cluster.start(
                script: """
                    umask 077
                    openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=\(name) \
                      -keyout new.key -out new.csr 2> openssl.log &&
                      openssl x509 -req -in new.csr -signkey new.key -days \(days) -out new.pem 2>> openssl.log &&
                      mv new.key key.pem && mv new.pem chain.pem
                    """
            )
            try #require(try await process.end() == 0, "\(cluster.read("openssl.log"))")
        }

        /// The name in the certificate that a new client is shown.
        private func holder(of cluster: TestCluster) async throws -> String {
            let url = try await cluster.web().url
            let address = try #require(URL(string: url).flatMap { url in url.port.map { "\(url.host() ?? ""):\($0)" } })
            let process = try cluster.start(
                script: "openssl s_client -connect \(address) < /dev/null 2> /dev/null | sed -n 's/^subject=CN *= *//p'"
            )
            try await process.end()
            return process.outputText.trimmingCharacters(in: .newlines)
        }

        private static let withHTTPS = TestCluster.withHTTP + ["--http-cert", "chain.pem", "--http-key", "key.pem"]

        private func withHTTPS(_ body: (TestCluster, ChildProcess) async throws -> Void) async throws {
            try await withCluster(workers: nil, coordinator: Self.withHTTPS) { cluster in
                try await makeCertificate("one", in: cluster)
                try await cluster.startCoordinator()
                try await body(cluster, try #require(cluster.coordinator))
            }
        }

        @Test("SIGHUP has the coordinator take over a renewed certificate, and ends nothing")
        func certificate() async throws {
            try await withHTTPS { cluster, coordinator in
                #expect(try await holder(of: cluster) == "one")
                let job = try await cluster.submit("--hold", "--", "true")
                try await makeCertificate("two", in: cluster)
                #expect(try await holder(of: cluster) == "one")
                coordinator.signal(SIGHUP)
                try await coordinator.error(containing: "reloaded")
                #expect(try await holder(of: cluster) == "two")
                #expect(try await cluster.show("\(job)/0").state == "pending")
                // Later signals still ask for an orderly end, and the first of them is the first.
                coordinator.signal(SIGTERM)
                #expect(try await coordinator.end() == 0)
                #expect(coordinator.errorText.contains("stopped"))
            }
        }

        @Test(
            "A certificate or key that cannot be used leaves the old one in use, with a line of the log",
            arguments: [
                ("rm chain.pem", "chain.pem cannot be read: No such file or directory."),
                ("echo none > chain.pem", "The certificate and the key for HTTP cannot be used: "),
                ("echo none > key.pem", "The certificate and the key for HTTP cannot be used: "),
                ("chmod 0644 key.pem", "can be read by all users"),
                // A named pipe ended all reloads in silence, and a device took the memory.
                ("rm chain.pem; mkfifo chain.pem", "chain.pem cannot be read: it is not an ordinary file."),
                ("ln -sf /dev/zero chain.pem", "chain.pem cannot be read: it is not an ordinary file."),
                ("rm chain.pem; mkdir chain.pem", "chain.pem cannot be read: it is not an ordinary file."),
                ("truncate -s 3G chain.pem", "chain.pem has more than 1048576 bytes."),
                ("cat key.pem >> chain.pem; chmod 0644 chain.pem", "The file of --http-cert holds a private key."),
                ("cp chain.pem old.pem; openssl ecparam -genkey -name prime256v1 -out key.pem", "cannot be used: "),
            ]
        )
        func unusable(_ damage: String, _ sentence: String) async throws {
            try await withHTTPS { cluster, coordinator in
                try await cluster.start(script: "umask 077; \(damage)").end()
                coordinator.signal(SIGHUP)
                let line = try await coordinator.error(containing: "the certificate of HTTPS stays as it was")
                #expect(line.contains(sentence), "\(line)")
                #expect(try await holder(of: cluster) == "one")
                // The next one is taken.
                try await cluster.start(script: "rm -rf chain.pem").end()
                try await makeCertificate("three", in: cluster)
                coordinator.signal(SIGHUP)
                try await coordinator.error(containing: "reloaded")
                while try await holder(of: cluster) == "one" {}
                #expect(try await holder(of: cluster) == "three")
            }
        }

        @Test("A start with a key of HTTPS that all users may read, or with a wrong one, is refused with 77")
        func exposedKey() async throws {
            try await withCluster(workers: nil) { cluster in
                try await makeCertificate("one", in: cluster)
                let key = cluster.home.appending(path: "key.pem").path
                let start = ["coordinator", "--listen", "tcp://127.0.0.1:*"] + Self.withHTTPS
                for mode: mode_t in [0o644, 0o604, 0o620, 0o660] {
                    chmod(key, mode)
                    let refused = try await cluster.baton(start)
                    #expect(refused.status == 77, "\(refused)")
                    #expect(refused.errors.contains("Run: chmod g-w,o-rwx key.pem"), "\(refused)")
                }
                try cluster.write("none", to: "key.pem")
                chmod(key, 0o640)
                let unusable = try await cluster.baton(start)
                #expect(unusable.status == 77 && unusable.errors.contains("cannot be used"), "\(unusable)")
            }
        }

        @Test(
            "A start with a certificate that is no ordinary file, or too long a one, is refused with 65",
            arguments: [
                ("rm chain.pem; mkfifo chain.pem", "it is not an ordinary file"),
                ("ln -sf /dev/zero chain.pem", "it is not an ordinary file"),
                ("truncate -s 3G chain.pem", "has more than 1048576 bytes"),
            ]
        )
        func noCertificate(_ damage: String, _ sentence: String) async throws {
            try await withCluster(workers: nil) { cluster in
                try await makeCertificate("one", in: cluster)
                try await cluster.start(script: damage).end()
                let start = ["coordinator", "--listen", "tcp://127.0.0.1:*"] + Self.withHTTPS
                let refused = try await cluster.baton(start)
                #expect(refused.status == 65 && refused.errors.contains(sentence), "\(refused)")
            }
        }

        @Test("A start with a private key in a file of certificates that all users may read is refused with 77")
        func keyInCertificate() async throws {
            try await withCluster(workers: nil) { cluster in
                try await makeCertificate("one", in: cluster)
                try await cluster.start(script: "cat key.pem >> chain.pem; chmod 0644 chain.pem").end()
                let start = ["coordinator", "--listen", "tcp://127.0.0.1:*"] + Self.withHTTPS
                let refused = try await cluster.baton(start)
                #expect(refused.status == 77, "\(refused)")
                #expect(refused.errors.contains("The file of --http-cert holds a private key."), "\(refused)")
                #expect(refused.errors.contains("chmod g-w,o-rwx chain.pem"), "\(refused)")
            }
        }

        @Test("An expired certificate is a line of the log and a sentence of health, until it is renewed")
        func expired() async throws {
            try await withHTTPS { cluster, coordinator in
                #expect(!(try await cluster.baton("health")).output.contains("expired"))
                try await makeCertificate("old", days: -1, in: cluster)
                coordinator.signal(SIGHUP)
                let line = try await coordinator.error(containing: "the certificate of HTTPS has expired")
                #expect(line.contains(" warning ") && line.contains("chain.pem"), "\(line)")
                try await coordinator.error(containing: "reloaded")
                let health = try await cluster.baton("health")
                #expect(health.status == 0 && health.output.contains("chain.pem, expired at "), "\(health)")
                try await makeCertificate("new", in: cluster)
                coordinator.signal(SIGHUP)
                while try await holder(of: cluster) != "new" {}
                while try await cluster.baton("health").output.contains("expired") {}
            }
        }

        @Test("SIGHUP reads the level of the log from the file log-level, and back from the option without the file")
        func logLevel() async throws {
            try await withCluster(workers: 1) { cluster in
                let coordinator = try #require(cluster.coordinator)
                let worker = try #require(cluster.workers["w1"])
                #expect(try await cluster.baton("run", "--", "true").status == 0)
                #expect(!worker.errorText.contains(" started "))
                try cluster.write("info\n", to: "log-level")
                for process in [coordinator, worker] {
                    process.signal(SIGHUP)
                    try await process.error(containing: "reloaded")
                    #expect(process.errorText.contains("logLevel=info"), "\(process.errorText)")
                }
                #expect(try await cluster.baton("run", "--", "true").status == 0)
                try await worker.error(containing: " started ")
                try cluster.write("loud\n", to: "log-level")
                worker.signal(SIGHUP)
                let line = try await worker.error(containing: "the level of the log stays as it was")
                #expect(line.contains("holds no level of the log"), "\(line)")
                try FileManager.default.removeItem(at: cluster.home.appending(path: "log-level"))
                worker.signal(SIGHUP)
                try await worker.error(containing: "logLevel=notice")
                #expect(try await cluster.baton("run", "--", "true").status == 0)
            }
        }

        @Test("baton start has its coordinator and its workers read their files again")
        func everything() async throws {
            try await withCluster(workers: nil) { cluster in
                let all = try await cluster.startAll("--workers", "1")
                try await all.error(containing: "welcomed")
                try cluster.write("info\n", to: "log-level")
                all.signal(SIGHUP)
                try await all.error(containing: "coordinator: reloaded logLevel=info")
                try await all.error(containing: "worker: reloaded logLevel=info")
                #expect(try await cluster.baton("run", "--", "true").status == 0)
                all.signal(SIGTERM)
                #expect(try await all.end() == 0)
            }
        }

        @Test("SIGHUP has the coordinator look at the table of keys, and it goes on without one")
        func keys() async throws {
            try await withCluster { cluster in
                let coordinator = try #require(cluster.coordinator)
                let table = cluster.home.appending(path: "keys/authorized").path
                try await cluster.start(script: "mv '\(table)' '\(table).away'").end()
                coordinator.signal(SIGHUP)
                try await coordinator.error(containing: "the table of keys was removed")
                try await cluster.start(script: "mv '\(table).away' '\(table)'").end()
                coordinator.signal(SIGHUP)
                try await coordinator.error(containing: "the table of keys is back")
                #expect(try await cluster.baton("run", "--", "true").status == 0)
            }
        }

        @Test("A coordinator or worker whose terminal hangs up ends in order", arguments: [true, false])
        func terminal(_ isCoordinator: Bool) async throws {
            try await withCluster(workers: isCoordinator ? nil : 0) { cluster in
                let arguments =
                    isCoordinator
                    ? ["coordinator", "--listen", "tcp://127.0.0.1:*"] + TestCluster.withHTTP
                    : ["worker", "--name", "w1", "--memory-control", "sampling"]
                let command = "exec \(TestCluster.program) \(arguments.joined(separator: " ")) 2>> log"
                let terminal = try cluster.startOnTerminal(command: ["sh", "-c", command], input: "/dev/null")
                let ready = isCoordinator ? "listening" : "welcomed"
                try await cluster.start(script: "until grep -q \(ready) log; do sleep 0.05; done").end()
                let role = isCoordinator ? " coordinator" : " worker"
                let process = try #require(
                    ProcessesOfTest.all(of: cluster.home.path).first {
                        $0.command.hasPrefix(TestCluster.program) && $0.command.contains(role)
                    }
                )
                // The other end of the terminal is closed by that.
                terminal.signal(SIGKILL)
                try await terminal.end()
                try await cluster.start(script: "while kill -0 \(process.processID); do sleep 0.05; done").end()
                let log = cluster.read("log")
                #expect(!log.contains("reloaded") && log.contains("stopped"), "\(log)")
            }
        }
    }
}

@Suite("The file with the level of the log")
struct LogLevelFileTests {
    private let home = FileManager.default.temporaryDirectory.appending(path: "baton-level-\(UUID().uuidString)")

    /// The level after a file was read behind one with "debug"; nil stands for no file.
    private func level(after content: String?) throws -> Logger.Level {
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: home) }
        let path = home.appending(path: "log-level").path
        let file = LogLevelFile(home: home.path, usual: .notice)
        let silent = Logger(label: "test", level: .critical)
        try "debug".write(toFile: path, atomically: true, encoding: .utf8)
        file.read(silent)
        #expect(file.threshold.level == .debug)
        try FileManager.default.removeItem(atPath: path)
        if let content { try content.write(toFile: path, atomically: true, encoding: .utf8) }
        file.read(silent)
        return file.threshold.level
    }

    @Test(
        "One word is a level, and everything else changes nothing",
        arguments: [
            ("trace", .trace), (" warning \r\n\n", .warning), ("", .debug), ("\n", .debug), ("loud", .debug),
            ("in fo", .debug), ("info info", .debug), ("INFO", .debug), ("info\u{0}", .debug),
            ("info" + String(repeating: "\n", count: 100), .debug), (nil, .notice),
        ] as [(String?, Logger.Level)]
    )
    func words(_ content: String?, _ level: Logger.Level) throws {
        #expect(try self.level(after: content) == level)
    }

    @Test("A pipe or a directory in the place of the file changes nothing, and nobody waits for it")
    func noFile() throws {
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: home) }
        let path = home.appending(path: "log-level").path
        let file = LogLevelFile(home: home.path, usual: .notice)
        #expect(mkfifo(path, 0o600) == 0)
        file.read(Logger(label: "test", level: .critical))
        #expect(file.threshold.level == .notice)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        file.read(Logger(label: "test", level: .critical))
        #expect(file.threshold.level == .notice)
    }
}
