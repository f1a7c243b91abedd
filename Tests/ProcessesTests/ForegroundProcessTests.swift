import Glibc
import Testing

@_spi(Baton) @testable import BatonProcesses

@Suite("Processes in the foreground", .timeLimit(.minutes(60)))
struct ForegroundProcessTests {
    private static func end(_ script: String, noticing signals: [Int32] = []) throws -> ProcessEnd {
        let environment = try ProcessEnvironment.inherited().setting(["COLOUR": "blue"])
        return try ForegroundProcess(["sh", "-c", script], environment: environment, noticing: signals).waitForEnd()
    }

    @Test(
        "A process in the foreground is found in PATH, gets its variables, and its end is told",
        arguments: [
            ("exit 0", ProcessEnd.exited(0)), ("exit 7", .exited(7)), ("kill -9 $$", .signalled(SIGKILL)),
            ("test \"$COLOUR\" = blue", .exited(0)), ("exit 255", .exited(255)),
        ]
    )
    func end(script: String, expected: ProcessEnd) throws {
        #expect(try Self.end(script) == expected)
    }

    @Test(
        "A process in the foreground stays in the process group of its starter, and notices the signals that it is to notice"
    )
    func signals() throws {
        let group = "read -r id name state parent group rest < /proc/$$/stat; test $group = \(getpgrp())"
        #expect(try Self.end(group) == .exited(0))
        let before = signal(SIGUSR2, SIG_IGN)
        defer { signal(SIGUSR2, before) }
        #expect(try Self.end("kill -USR2 $$") == .exited(0))
        #expect(try Self.end("kill -USR2 $$", noticing: [SIGUSR2]) == .signalled(SIGUSR2))
    }

    @Test("A program that does not exist is an error with the system's reason")
    func missing() {
        #expect(throws: SystemFailure.self) {
            try ForegroundProcess(["/no/such/program"], environment: .inherited(), noticing: [])
        }
    }
}
