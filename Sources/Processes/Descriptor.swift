import Glibc

/// An open descriptor, closed with its owner unless borrowed.
struct Descriptor: ~Copyable {
    let number: Int32
    private let isOurs: Bool

    init(owning number: Int32) {
        self.number = number
        isOurs = true
    }

    init(borrowing number: Int32) {
        self.number = number
        isOurs = false
    }

    deinit {
        if isOurs { close(number) }
    }
}

extension Descriptor {
    /// Whether the input of a process is a named pipe, which this process must not open in the process's place.
    static func isNamedPipe(at path: String) throws(LaunchFailure) -> Bool {
        var status = stat()
        guard !path.utf8.contains(0), stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return false }
        guard access(path, R_OK) == 0 else { throw inputFailure(path, errno) }
        return true
    }

    /// The failure of a process whose input cannot be opened.
    static func inputFailure(_ path: String, _ code: Int32) -> LaunchFailure {
        LaunchFailure(.standardInput, code: code, "cannot read standard input \"\(path)\": \(UserFile.reason(code))")
    }

    /// The failure of a process whose output cannot be opened.
    static func outputFailure(_ stream: String, _ path: String, _ code: Int32) -> LaunchFailure {
        LaunchFailure(.output, code: code, "cannot write \(stream) to \"\(path)\": \(UserFile.reason(code))")
    }

    /// Opens a file as the input of a process.
    static func input(at path: String) throws(LaunchFailure) -> Descriptor {
        func failure(_ code: Int32) -> LaunchFailure { inputFailure(path, code) }
        guard !path.utf8.contains(0) else { throw failure(EINVAL) }
        // Without O_NONBLOCK, the call would block on a file that has become a named pipe, and on some devices.
        let number = UserFile.open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard number >= 0 else { throw failure(errno) }
        let descriptor = Descriptor(owning: number)
        var status = stat()
        guard fstat(number, &status) == 0 else { throw failure(errno) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw failure(EISDIR) }
        guard !UserFile.isTerminal(number) else {
            throw LaunchFailure(.standardInput, "cannot read standard input \"\(path)\": it is a terminal of this host")
        }
        guard fcntl(number, F_SETFL, 0) == 0 else { throw failure(errno) }
        return descriptor
    }

    /// Opens, or creates, the output of a process.
    static func output(_ output: ProcessOutput, named stream: String, null: Int32) throws(LaunchFailure) -> Descriptor {
        switch output {
        case .null: return Descriptor(borrowing: null)
        case .descriptor(let number): return Descriptor(borrowing: number)
        case .file(let path):
            func failure(_ code: Int32) -> LaunchFailure {
                LaunchFailure(.output, code: code, "cannot write \(stream) to \"\(path)\": \(systemReason(code))")
            }
            guard !path.utf8.contains(0) else { throw failure(EINVAL) }
            let number = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOCTTY, 0o644)
            guard number >= 0 else { throw failure(errno) }
            return Descriptor(owning: number)
        }
    }
}
