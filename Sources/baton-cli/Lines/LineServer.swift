@_spi(Baton) import BatonHealth
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonThreads
import CBatonLine
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Runs the lines of make below `with-job` over the connection of `with-job`, which they reach at a socket in a private directory.
///
/// A connection of its own, with its keys and handshakes, takes a line longer than all else that it does. The directory also has the
/// small program `baton-line` under the name `baton`, where it is installed beside this program: it starts in an eighth of the time.
final class LineServer: Sendable {
    /// The variable of the environment with the path of the socket.
    static let variable = CLINE_SOCKET_VARIABLE

    /// Runs a line's submission, and returns how the line ends.
    typealias Service = @Sendable (_ submission: Submission, _ line: ServedLine) async -> CommandEnd

    /// The most lines that wait to be accepted.
    private static let mostWaiting: Int32 = 128
    /// How many descriptors lines leave to the rest of the process: it may have to find its coordinator again.
    private static let spareDescriptors = 16

    private let directory: TemporaryDirectory
    /// The absolute path of the directory.
    private let place: String
    /// The path of the socket.
    private let path: String
    private let listener: Int32
    /// Whether the directory has the small program.
    private let hasProgram: Bool
    private let scope: LineScope
    private let service: Service
    /// The names of the variables of which a line has told that operations do not get them.
    private let omissions = Mutex<Set<String>>([])

    /// Starts to serve; nil if the system has no room for it, since lines can do without.
    ///
    /// - Parameters:
    ///   - scope: the scope of the lines to serve.
    ///   - service: runs a line, in a task of its own.
    init?(for scope: LineScope, _ service: @escaping Service) {
        let descriptor = socket(
            AF_UNIX,
            Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue),
            0
        )
        guard descriptor >= 0 else { return nil }
        guard let directory = try? TemporaryDirectory() else {
            close(descriptor)
            return nil
        }
        // Lines come from any directory.
        guard let place = try? Surroundings.absolutePath(directory.path) else {
            close(descriptor)
            directory.remove()
            return nil
        }
        let path = "\(place)/lines"
        guard LocalAddress.with(path, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, Self.mostWaiting) == 0
        else {
            close(descriptor)
            directory.remove()
            return nil
        }
        self.directory = directory
        self.place = place
        self.path = path
        self.scope = scope
        self.service = service
        listener = descriptor
        // A colon would end the place in PATH.
        hasProgram = !place.contains(":") && Self.linkProgram(in: place)
        do {
            try SystemThread.detach(named: "lines") { self.run() }
        } catch {
            close(descriptor)
            directory.remove()
            return nil
        }
    }

    /// The variables of the environment by which lines find the server and the small program.
    var variables: [String: String] {
        var variables = [Self.variable: path]
        if hasProgram, let value = getenv("PATH"), let places = String(validatingCString: value) {
            // Those of a server above come to nothing here.
            let outer = Surroundings.variable(Self.variable) ?? ""
            variables["PATH"] = "\(place):\(Self.places(in: places, without: outer))"
        }
        return variables
    }

    /// Puts the small program into a directory as `baton`; returns false if it is not installed.
    private static func linkProgram(in directory: String) -> Bool {
        let own = Surroundings.ownProgram
        guard let slash = own.lastIndex(of: "/") else { return false }
        let program = "\(own[...slash])baton-line"
        return access(program, X_OK) == 0 && symlink(program, "\(directory)/baton") == 0
    }

    /// The value of `PATH` without what a server has added to it; a recipe may have put other places before.
    ///
    /// - Parameter socket: the path of the server's socket; an empty one for none.
    static func places(in value: String, without socket: String) -> String {
        guard let slash = socket.lastIndex(of: "/") else { return value }
        let added = socket[..<slash]
        guard !added.isEmpty else { return value }
        return value.split(separator: ":", omittingEmptySubsequences: false).filter { $0 != added }
            .joined(separator: ":")
    }

    /// Lets no further line come; lines that run go on.
    func remove() { directory.remove() }

    /// Accepts lines and reads from them, up to the end of the process.
    private func run() {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
        var conversations: [Conversation] = []
        while true {
            var polls = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
            for conversation in conversations {
                polls.append(pollfd(fd: conversation.socket, events: Int16(POLLIN), revents: 0))
            }
            guard poll(&polls, nfds_t(polls.count), -1) > 0 else { continue }
            for position in conversations.indices.reversed() where polls[position + 1].revents != 0 {
                let goesOn = conversations[position].read(buffer, self)
                if !goesOn { conversations.remove(at: position) }
            }
            if polls[0].revents != 0, let conversation = accepted() { conversations.append(conversation) }
        }
    }

    /// Accepts a line; nil if there is none.
    private func accepted() -> Conversation? {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else {
            // Without room for a descriptor, the line that waits would have the thread try again and again.
            if errno == EMFILE || errno == ENFILE { _ = poll(nil, 0, 10) }
            return nil
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let conversation = Conversation(over: descriptor)
        guard Self.isAffordable(descriptor) else {
            conversation.refuse()
            return nil
        }
        return conversation
    }

    /// Whether the process has enough descriptors left beside one for a line; the system gives the lowest one that is free.
    private static func isAffordable(_ descriptor: Int32) -> Bool {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return true }
        return Int(descriptor) + spareDescriptors < Int(clamping: limit.rlim_cur)
    }

    /// Begins to run a line.
    fileprivate func run(_ submission: Submission, for line: ServedLine) {
        line.begin(
            Task { [service] in
                await ServedLine.$current.withValue(line) { line.end(await service(submission, line)) }
            }
        )
    }

    /// The submission of a line; nil if the line has to run in another way.
    ///
    /// The first line with a variable that operations do not get says so: a build has thousands of lines with the same variables.
    fileprivate func submission(of content: [UInt8], for line: ServedLine) -> Submission? {
        guard let request = LineRequest(content), LineScope({ request.environment[$0] }) == scope else { return nil }
        return ServedLine.$current.withValue(line) { () -> Submission? in
            request.submission(without: path) { (name: String, sentence: String) in
                let isNew = omissions.withLock { $0.insert(name).inserted }
                if isNew { Output.note(sentence) }
            }
        }
    }
}

/// What the thread of the server knows of a line.
private struct Conversation {
    let socket: Int32
    private let line: ServedLine
    private var reader = LineFrameReader()
    private var isRunning = false

    init(over socket: Int32) {
        self.socket = socket
        line = ServedLine(over: socket)
    }

    /// Has the line run in another way, and closes the connection.
    func refuse() {
        line.refuse()
        line.close()
    }

    /// Reads what has arrived; returns false at the end of the connection, which is closed then.
    mutating func read(_ buffer: UnsafeMutableRawBufferPointer, _ server: LineServer) -> Bool {
        let count = recv(socket, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        if count < 0, errno == EAGAIN || errno == EINTR { return true }
        var goesOn = count > 0
        if goesOn {
            reader.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            do throws(LineFrameReader.Malformed) {
                while goesOn, let frame = try reader.next() { goesOn = take(frame, server) }
            } catch {
                goesOn = false
            }
        }
        if !goesOn { line.close() }
        return goesOn
    }

    /// Takes a frame; returns false if the connection is to be closed.
    private mutating func take(_ frame: LineFrame, _ server: LineServer) -> Bool {
        guard !isRunning else { return line.take(frame) }
        guard frame.kind == .call, var submission = server.submission(of: frame.content, for: line) else {
            line.refuse()
            return false
        }
        isRunning = true
        submission.takeOwnKey()
        if let key = submission.key { line.tell(key: key) }
        server.run(submission, for: line)
        return true
    }
}
