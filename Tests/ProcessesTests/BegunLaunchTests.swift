import CBatonSpawn
import Glibc
import Testing

@_spi(Baton) @testable import BatonProcesses

@Suite("Launches of which several are under way at once", .timeLimit(.minutes(60)))
struct BegunLaunchTests {
    /// What a launch comes to.
    private enum Kind: CaseIterable {
        case runs, directory, descriptors, missing, forbidden, notAProgram

        var specification: ProcessSpecification {
            switch self {
            case .runs: return ProcessSpecification("/bin/sh", "-c", "exit 7")
            case .directory:
                var specification = ProcessSpecification("/bin/true")
                specification.directory = "/none/such"
                return specification
            case .descriptors:
                var specification = ProcessSpecification("/bin/true")
                specification.standardError = .descriptor(1_000_000)
                return specification
            case .missing: return ProcessSpecification("/none/such")
            case .forbidden: return ProcessSpecification("/etc/passwd")
            case .notAProgram: return ProcessSpecification("/etc/passwd/x")
            }
        }

        /// The failure; nil for a program that runs.
        var failure: (reason: LaunchFailure.Reason, code: Int32)? {
            switch self {
            case .runs: nil
            case .directory: (.directory, ENOENT)
            case .descriptors: (.output, EBADF)
            case .missing: (.program, ENOENT)
            case .forbidden: (.program, EACCES)
            case .notAProgram: (.program, ENOTDIR)
            }
        }
    }

    /// Whether a launch can be under way on this processor.
    private static var canBeUnderWay: Bool {
        #if arch(x86_64) || arch(arm64)
            true
        #else
            false
        #endif
    }

    private func withLauncher(_ body: (inout Launcher) throws -> Void) throws {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        try #require(null >= 0)
        defer { close(null) }
        var launcher = Launcher(null: null, openFiles: nil)
        try body(&launcher)
    }

    /// Settles a launch, and checks what has become of it.
    private func check(_ begun: BegunLaunch, _ kind: Kind) {
        let process = begun.process
        let expected = kind.failure
        do throws(LaunchFailure) {
            let started = try begun.settled()
            close(started.descriptor)
            let group = getpgid(process)
            let end = endOf(process)
            #expect(started.process == process && group == process)
            #expect(end == .exited(7), "\(kind)")
        } catch {
            #expect(error.reason == expected?.reason && error.code == expected?.code, "\(kind): \(error)")
            // A process whose failure was known at once has no number any more.
            guard process > 0 else { return }
            let reaped = waitpid(process, nil, WNOHANG)
            let code = errno
            #expect(reaped < 0 && code == ECHILD, "it was reaped")
        }
    }

    /// Waits for the end of a child; nil if there is no such child.
    private func endOf(_ process: pid_t) -> ProcessEnd? {
        var status: Int32 = 0
        return waitpid(process, &status, 0) == process ? ProcessEnd(waitStatus: status) : nil
    }

    @Test(
        "Each launch fails or succeeds for itself, in whatever order the outcomes are asked for",
        arguments: [1, 2, 5, Int(CSPAWN_ARENAS), Int(CSPAWN_ARENAS) + 1, 23]
    )
    func outcomes(count: Int) throws {
        try withLauncher { launcher in
            // All are prime to each count, so that each order has every launch once.
            for (round, step) in [1, 7, 11, 13, 17].enumerated() {
                var launches: [(begun: BegunLaunch, kind: Kind)] = []
                for number in 0..<count {
                    let kind = Kind.allCases[(number * 5 + round) % Kind.allCases.count]
                    launches.append((try launcher.begin(kind.specification) { _ in }, kind))
                }
                for number in 0..<count {
                    let launch = launches[number * step % count]
                    check(launch.begun, launch.kind)
                }
            }
        }
    }

    @Test("As many launches are under way as have an arena, a further one is settled at once, and arenas serve again")
    func arenas() throws {
        try withLauncher { launcher in
            for _ in 0..<3 {
                var launches: [BegunLaunch] = []
                for number in 0..<2 * Int(CSPAWN_ARENAS) {
                    let begun = try launcher.begin(Kind.runs.specification) { _ in }
                    #expect(begun.isUnderWay == (Self.canBeUnderWay && number < Int(CSPAWN_ARENAS)))
                    if !begun.isUnderWay { #expect(begun.hasSettled) }
                    launches.append(begun)
                }
                for begun in launches { check(begun, .runs) }
            }
        }
    }

    @Test("A launch without its outcome is harmless when its launcher is gone")
    func abandoned() throws {
        var processes: [pid_t] = []
        try withLauncher { launcher in
            for kind in Kind.allCases {
                let begun = try launcher.begin(kind.specification) { _ in }
                if begun.isUnderWay { processes.append(begun.process) }
                if begun.descriptor >= 0 { close(begun.descriptor) }
            }
        }
        for process in processes {
            let end = endOf(process)
            #expect(end == .exited(7) || end == .exited(127), "\(String(describing: end))")
        }
    }

    @Test(
        "A process gets the texts that its launch had, whatever the caller does with them afterwards",
        arguments: [1, 30, 4000]
    )
    func texts(length: Int) throws {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        let arenas = LaunchArenas()
        for number in 0..<20 {
            let pipe = try LinePipe()
            let word = String(repeating: "\(number % 10)", count: length)
            let lines = ["/none/such", "/bin/sh", "sh", "-c", "echo \"$A $0 $(pwd)\"", word, "A=\(word)", "/etc"]
            let texts = lines.map { strdup($0) }
            defer { for text in texts { free(text) } }
            var candidates: [UnsafePointer<CChar>?] = [UnsafePointer(texts[0]), UnsafePointer(texts[1]), nil]
            var arguments: [UnsafeMutablePointer<CChar>?] = [texts[2], texts[3], texts[4], texts[5], nil]
            var environment: [UnsafeMutablePointer<CChar>?] = [texts[6], nil]
            var result = cspawn_result()
            candidates.withUnsafeMutableBufferPointer { candidates in
                arguments.withUnsafeMutableBufferPointer { arguments in
                    environment.withUnsafeMutableBufferPointer { environment in
                        var request = cspawn_request()
                        request.candidates = UnsafePointer(candidates.baseAddress)
                        request.arguments = UnsafePointer(arguments.baseAddress)
                        request.environment = UnsafePointer(environment.baseAddress)
                        request.directory = UnsafePointer(texts[7])
                        request.standard_input = null
                        request.standard_output = pipe.writingEnd
                        request.standard_error = null
                        request.io_priority = -1
                        request.control_group = -1
                        request.note_descriptor = -1
                        result = cspawn_begin(arenas.pointer, &request)
                        for text in texts { if let text { memset(text, 0x21, strlen(text)) } }
                        arguments[0] = nil
                        environment[0] = nil
                        candidates[0] = nil
                        request.directory = nil
                    }
                }
            }
            cspawn_settle(&result)
            let hasStarted = result.step == CSPAWN_STARTED.rawValue
            try #require(hasStarted)
            var bytes: [UInt8] = []
            var byte: UInt8 = 0
            while read(pipe.readingEnd, &byte, 1) == 1, byte != UInt8(ascii: "\n") { bytes.append(byte) }
            #expect(String(decoding: bytes, as: UTF8.self) == "\(word) \(word) /etc")
            close(result.descriptor)
            #expect(endOf(result.process) == .exited(0))
        }
    }

    @Test("The failures of processes under way leave the errors of their parent's calls alone")
    func errors() throws {
        try withLauncher { launcher in
            // Many directories to fail in, with another error than that of the parent's calls.
            var specification = ProcessSpecification("nonesuch")
            let path = (0..<200).map { "/none/such\($0)" }.joined(separator: ":")
            specification.environment = try specification.environment.setting(["PATH": path])
            var wrong = 0
            for _ in 0..<100 {
                let begun = try launcher.begin(specification) { _ in }
                repeat {
                    // A descriptor that nobody has.
                    if close(-1) != -1 || errno != EBADF { wrong += 1 }
                    errno = EXDEV
                    if errno != EXDEV { wrong += 1 }
                } while !begun.hasSettled
                check(begun, .missing)
            }
            #expect(wrong == 0)
        }
    }

    @Test("A program has no signal blocked or ignored, whatever its parent blocks and ignores")
    func signals() throws {
        try withLauncher { launcher in
            // No other test sends or awaits it, and its default is to be ignored.
            let before = signal(SIGURG, SIG_IGN)
            defer { signal(SIGURG, before) }
            var (all, mask) = (sigset_t(), sigset_t())
            sigfillset(&all)
            pthread_sigmask(SIG_SETMASK, &all, &mask)
            defer { pthread_sigmask(SIG_SETMASK, &mask, nil) }
            for _ in 0..<10 {
                // Signals 32 and 33 belong to the C library.
                let nothing = ":[[:space:]]*0*(180000000|100000000|80000000)?$"
                let script = "! grep -E '^Sig(Blk|Ign):' /proc/self/status | grep -vE '\(nothing)' && exit 7"
                check(try launcher.begin(.shell(script)) { _ in }, .runs)
            }
        }
    }
}
