import Foundation
import Glibc
@_spi(Baton) import BatonProcesses
import Testing

@Suite("Failed launches", .timeLimit(.minutes(60)))
struct LaunchFailureTests {
    /// Launches a program that cannot be launched.
    private func failure(of specification: ProcessSpecification) async throws -> LaunchFailure? {
        try await withSupervisor { supervisor in
            guard case .failure(let failure) = await supervisor.run(specification) else { return nil }
            // The supervisor must still work.
            let exit = try await supervisor.run(ProcessSpecification("true")).get()
            #expect(exit.end == .exited(0))
            return failure
        }
    }

    @Test(
        "The launch of a program that cannot be run fails with the program and the reason",
        arguments: [
            ("nonesuch", LaunchFailure.Reason.program, #"cannot run "nonesuch": no such file in PATH"#),
            (
                "cd /tmp && make", .program,
                #"cannot run "cd /tmp && make": No such file or directory"#
                    + "; no shell reads a command: give each word apart, or begin with sh -c"
            ),
            ("/none/such", .program, #"cannot run "/none/such": No such file or directory"#),
            ("/etc/passwd", .program, #"cannot run "/etc/passwd": Permission denied"#),
            ("/etc", .program, #"cannot run "/etc": Permission denied"#),
            ("/etc/passwd/x", .program, #"cannot run "/etc/passwd/x": Not a directory"#),
            ("", .invalid, "cannot run anything: no program was given"),
            ("a\0b", .invalid, "cannot run a program whose name has a zero byte"),
        ]
    )
    func launchProgramCannotRun(
        program: String,
        reason: LaunchFailure.Reason,
        sentence: String
    ) async throws {
        let failure = try await failure(of: ProcessSpecification(program))
        #expect(failure?.reason == reason)
        #expect(failure?.description == sentence)
    }

    @Test("The launch of a file in PATH that may not be run fails for lack of permission")
    func launchFilePATHMay() async throws {
        var specification = ProcessSpecification("passwd")
        specification.environment = try specification.environment.setting(["PATH": "/etc:/nonexistent"])
        #expect(try await failure(of: specification)?.description == #"cannot run "passwd": Permission denied"#)
    }

    @Test(
        "A directory in PATH that may not be searched does not hide that the program is not there",
        .enabled(if: geteuid() != 0, "root may search each directory")
    )
    func launchUnsearchableDirectory() async throws {
        try await withTemporaryDirectory { directory in
            let closed = directory + "/closed"
            #expect(mkdir(closed, 0) == 0)
            var specification = ProcessSpecification("nonesuch")
            specification.environment = try specification.environment.setting(["PATH": "\(closed):/bin"])
            let failure = try await failure(of: specification)
            #expect(failure?.description == #"cannot run "nonesuch": no such file in PATH"#)
            #expect(rmdir(closed) == 0)
        }
    }

    @Test("The launch of a script without its interpreter fails with a sentence about the interpreter")
    func launchScriptWithoutInterpreter() async throws {
        try await withTemporaryDirectory { directory in
            try await withSupervisor { supervisor in
                try await supervisor.write(script: "#!/none/such", to: directory + "/script")
            }
            var specification = ProcessSpecification("./script")
            specification.directory = directory
            let failure = try await failure(of: specification)
            #expect(failure?.code == ENOENT)
            #expect(failure?.description == #"cannot run "./script": the interpreter that it names does not exist"#)
        }
    }

    @Test(
        "A launch in a directory that cannot be entered fails with the directory and the reason",
        arguments: [
            ("/none/such", "No such file or directory"),
            ("/etc/passwd", "Not a directory"),
        ]
    )
    func launchDirectoryCannotEntered(
        directory: String,
        reason: String
    ) async throws {
        var specification = ProcessSpecification("true")
        specification.directory = directory
        let failure = try await failure(of: specification)
        #expect(failure?.reason == .directory)
        #expect(failure?.description == #"cannot enter directory "\#(directory)": \#(reason)"#)
    }

    @Test(
        "A launch whose standard input cannot be read fails with the file and the reason",
        arguments: [("/none/such", "No such file or directory"), ("/etc", "Is a directory")]
    )
    func launchWhoseStandardInput(
        path: String,
        reason: String
    ) async throws {
        var specification = ProcessSpecification("true")
        specification.standardInput = path
        let failure = try await failure(of: specification)
        #expect(failure?.reason == .standardInput)
        #expect(failure?.description == #"cannot read standard input "\#(path)": \#(reason)"#)
    }

    @Test("A launch whose output file cannot be created fails with the file and the reason")
    func launchWhoseOutputFile() async throws {
        var specification = ProcessSpecification("true")
        specification.standardError = .file("/none/such")
        let failure = try await failure(of: specification)
        #expect(failure?.reason == .output)
        #expect(
            failure?.description == #"cannot write standard error to "/none/such": No such file or directory"#
        )
    }

    @Test("An environment variable with an impossible name is refused", arguments: ["", "A=B", "A\0"])
    func environmentVariableImpossibleName(name: String) throws {
        #expect(throws: LaunchFailure.self) { try ProcessEnvironment([name: "value"]) }
        let environment = try ProcessEnvironment(["A": "1"])
        let failure = #expect(throws: LaunchFailure.self) { try environment.setting([name: "value"]) }
        #expect(failure?.reason == .invalid)
    }

    @Test(
        "A variable of a launch with a zero byte is refused, wherever the byte is",
        arguments: ["\0", "a\0", "\0b", "a\0b"]
    )
    func launchVariableZeroByte(value: String) throws {
        let environment = try ProcessEnvironment(["A": "1"])
        let failure = #expect(throws: LaunchFailure.self) { try environment.setting(["A": value]) }
        #expect(failure?.description == #"the environment variable "A" has a zero byte"#)
        var variables = LaunchVariables()
        do throws(LaunchFailure) {
            try variables.set(environment.name("A"), to: value)
            Issue.record("The variable was set.")
        } catch {
            #expect(error == failure)
        }
    }

    @Test("A launch with arguments beyond the limit of the system fails, and later launches work")
    func launchArgumentsBeyondLimit() async throws {
        let failure = try await failure(of: ProcessSpecification("true", String(repeating: "x", count: 4_000_000)))
        #expect(failure?.description == #"cannot run "true": Argument list too long"#)
    }

    @Test("A launch with a descriptor that is not open fails, and later launches work")
    func launchDescriptorOpenFails() async throws {
        var specification = ProcessSpecification("true")
        specification.standardOutput = .descriptor(1_000_000)
        #expect(try await failure(of: specification)?.description.hasSuffix("Bad file descriptor") == true)
    }
}
