import Foundation
import Glibc
@_spi(Baton) import BatonProcesses
import Testing

@_spi(Baton) @testable import BatonProcesses

/// Calls the body with a new supervisor, and shuts the supervisor down afterwards.
func withSupervisor<T>(_ body: (ProcessSupervisor) async throws -> T) async throws -> T {
    let supervisor = try ProcessSupervisor()
    defer { supervisor.shutDown() }
    return try await body(supervisor)
}

/// Calls the body with a new directory, and removes the directory afterwards.
func withTemporaryDirectory<T>(_ body: (String) async throws -> T) async throws -> T {
    let path = FileManager.default.temporaryDirectory.path + "/baton-processes-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
}

extension ProcessSpecification {
    /// A program of this machine with the environment of the tests.
    init(_ arguments: String...) {
        self.init(arguments: arguments, environment: .inherited())
    }

    /// A script for the shell.
    static func shell(_ script: String) -> ProcessSpecification {
        ProcessSpecification("/bin/sh", "-c", script)
    }

    /// Sets variables of the launch.
    mutating func set(_ values: [String: String]) throws(LaunchFailure) {
        for (name, value) in values { try variables.set(environment.name(name), to: value) }
    }
}

extension ProcessSupervisor {
    /// Runs a process and waits for its end.
    func run(
        _ specification: ProcessSpecification,
        token: UInt64 = 1,
        onStart: @escaping @Sendable (Int32) -> Void = { _ in }
    ) async -> Result<ProcessExit, LaunchFailure> {
        await withCheckedContinuation { continuation in
            launch(specification, token: token, onStart: onStart) { continuation.resume(returning: $0) }
        }
    }

    /// Writes an executable script.
    ///
    /// A separate process writes the file. If this process had the script open for writing, another test's new process
    /// could inherit the descriptor, and then the kernel would not execute the script.
    func write(script: String, to path: String) async throws {
        let command = #"printf '%s\n' "$1" >"$2" && chmod 755 "$2""#
        let exit = try await run(ProcessSpecification("/bin/sh", "-c", command, "sh", script, path)).get()
        try #require(exit.end == .exited(0))
    }

    /// Runs a shell script and returns the output of both streams.
    func output(of script: String) async throws -> String {
        try await output(of: .shell(script))
    }

    /// Runs a program and returns the output of both streams.
    func output(of specification: ProcessSpecification, token: UInt64 = 1) async throws -> String {
        try await withTemporaryDirectory { directory in
            var specification = specification
            specification.standardOutput = .file(directory + "/output")
            specification.standardError = .file(directory + "/output")
            _ = try await run(specification, token: token).get()
            return try String(contentsOfFile: directory + "/output", encoding: .utf8)
        }
    }
}

/// A pipe through which a process reports progress to the test.
final class LinePipe: Sendable {
    let readingEnd: Int32
    let writingEnd: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        // A new process of another test does not get the descriptors either: a process gets only three descriptors.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        readingEnd = ends[0]
        writingEnd = ends[1]
    }

    deinit {
        close(readingEnd)
        close(writingEnd)
    }

    /// Waits for the next line on a separate thread, as the tasks that produce the line need the shared threads.
    func readLine() async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                var line: [UInt8] = []
                var byte: UInt8 = 0
                while read(readingEnd, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
                continuation.resume(returning: String(decoding: line, as: UTF8.self))
            }
        }
    }
}

/// Whether a process has ended, reaped or not.
func isGone(_ process: Int32) -> Bool {
    ProcessTable.status(of: process)?.isAlive != true
}

/// Waits for the end of a process that is not a child of this program.
func waitUntilGone(_ process: Int32) async {
    while !isGone(process) { await Task.yield() }
}
