import CBatonSpawn
import Glibc

/// Starts processes: encodes a specification for execve(2), opens the streams, and hands both to C.
///
/// A launcher keeps its buffers between launches. The processes die with the calling thread, unless they are to outlive it.
struct Launcher {
    /// A started process, which leads the process group of the same number.
    struct Started {
        var process: pid_t
        /// A pidfd, for the caller to close.
        var descriptor: Int32
        /// What is told of a process that waits for the other end of a named pipe; nil for any other process.
        var waiting: WaitingLaunch?
    }

    private let null: Int32
    private let openFiles: OpenFileLimit?
    private var arena: [UInt8] = []
    private let arenas = LaunchArenas()

    /// - Parameters:
    ///   - null: `/dev/null`, open for reading and writing.
    ///   - openFiles: the limit of the processes; nil for the limit of this process.
    init(null: Int32, openFiles: OpenFileLimit?) {
        self.null = null
        self.openFiles = openFiles
    }

    /// Starts a process, which executes its program while the caller goes on, if it can.
    ///
    /// The process has its own copies of the descriptors in the specification when the call returns.
    ///
    /// - Parameter prepare: may add to the request to C.
    /// - Throws: `LaunchFailure` if the specification cannot be carried out; other failures come from ``BegunLaunch/settled()``.
    mutating func begin(
        _ specification: ProcessSpecification,
        _ prepare: (inout cspawn_request) -> Void
    ) throws(LaunchFailure) -> BegunLaunch {
        guard let program = specification.arguments.first, !program.isEmpty else {
            throw LaunchFailure(.invalid, "cannot run anything: no program was given")
        }
        try Self.check(specification)

        let input: Descriptor
        var waitsForWriter = false
        if let path = specification.standardInput.map({ Self.resolve($0, in: specification.directory) }) {
            waitsForWriter = try Descriptor.isNamedPipe(at: path)
            input = waitsForWriter ? Descriptor(borrowing: null) : try .input(at: path)
        } else {
            input = Descriptor(borrowing: null)
        }
        let output = try Descriptor.output(specification.standardOutput, named: "standard output", null: null)
        let error = try Descriptor.output(specification.standardError, named: "standard error", null: null)

        let result = spawn(
            specification,
            program: program,
            input: input.number,
            pipe: waitsForWriter ? specification.standardInput : nil,
            output: output.number,
            error: error.number,
            prepare
        )
        return BegunLaunch(result, of: specification)
    }

    private mutating func spawn(
        _ specification: ProcessSpecification,
        program: String,
        input: Int32,
        pipe: String?,
        output: Int32,
        error: Int32,
        _ prepare: (inout cspawn_request) -> Void
    ) -> cspawn_result {
        let (environment, variables) = (specification.environment, specification.variables)
        let (arguments, candidates, directory) = fillArena(specification, program: program)
        let childArenas = arenas.pointer
        // The child has entered the directory by then, from which a relative path starts.
        func place(of pipe: String?) -> Int? {
            pipe.map { path in
                defer { arena.append(terminated: path) }
                return arena.count
            }
        }
        let inputPipe = place(of: pipe)
        let outputPipe = place(of: specification.outputPipe)
        let errorPipe = place(of: specification.errorPipe)
        // From here on, the arena stays in place, so that pointers into it remain valid.
        return arena.withUnsafeMutableBytes { arena in
            environment.bytes.withUnsafeBytes { shared in
                variables.bytes.withUnsafeBytes { own -> cspawn_result in
                    func text(_ offset: Int) -> UnsafeMutablePointer<CChar>? {
                        arena.baseAddress?.advanced(by: offset).assumingMemoryBound(to: CChar.self)
                    }
                    var argumentPointers = Self.pointers(UnsafeRawBufferPointer(arena), arguments, room: 1)
                    argumentPointers.append(nil)
                    var variablePointers = Self.pointers(shared, environment.offsets, room: variables.places.count + 1)
                    for place in variables.places {
                        let variable = Self.pointer(own, place.offset)
                        if let index = place.overridden {
                            variablePointers[index] = variable
                        } else {
                            variablePointers.append(variable)
                        }
                    }
                    variablePointers.append(nil)
                    var candidatePointers: [UnsafePointer<CChar>?] = []
                    candidatePointers.reserveCapacity(candidates.count + 1)
                    for candidate in candidates { candidatePointers.append(UnsafePointer(text(candidate))) }
                    candidatePointers.append(nil)

                    return argumentPointers.withUnsafeBufferPointer { argumentPointers in
                        variablePointers.withUnsafeBufferPointer { variablePointers in
                            candidatePointers.withUnsafeBufferPointer { candidatePointers in
                                var request = cspawn_request()
                                request.candidates = candidatePointers.baseAddress
                                request.arguments = argumentPointers.baseAddress
                                request.environment = variablePointers.baseAddress
                                request.directory = directory.flatMap { UnsafePointer(text($0)) }
                                request.standard_input = input
                                request.standard_output = output
                                request.standard_error = error
                                request.input_pipe = inputPipe.flatMap { UnsafePointer(text($0)) }
                                request.output_pipe = outputPipe.flatMap { UnsafePointer(text($0)) }
                                request.error_pipe = errorPipe.flatMap { UnsafePointer(text($0)) }
                                request.sets_niceness = specification.niceness == nil ? 0 : 1
                                request.niceness = specification.niceness ?? 0
                                request.io_priority = specification.ioPriority?.encoded ?? -1
                                request.sets_mask = specification.fileMask == nil ? 0 : 1
                                request.mask = UInt32(specification.fileMask ?? 0)
                                request.open_files = openFiles.map { Int32(clamping: $0.count) } ?? 0
                                request.control_group = -1
                                request.outlives_parent = specification.outlivesStarter ? 1 : 0
                                request.note_descriptor = -1
                                prepare(&request)
                                return cspawn_begin(childArenas, &request)
                            }
                        }
                    }
                }
            }
        }
    }

    /// Pointers to texts at offsets of a buffer, with room for some more.
    private static func pointers(
        _ buffer: UnsafeRawBufferPointer,
        _ offsets: [Int],
        room: Int
    ) -> [UnsafeMutablePointer<CChar>?] {
        var pointers: [UnsafeMutablePointer<CChar>?] = []
        pointers.reserveCapacity(offsets.count + room)
        for offset in offsets { pointers.append(pointer(buffer, offset)) }
        return pointers
    }

    /// A pointer to a variable.
    ///
    /// C takes the variables as mutable out of habit: execve(2) copies them and writes nothing.
    private static func pointer(_ buffer: UnsafeRawBufferPointer, _ offset: Int) -> UnsafeMutablePointer<CChar>? {
        UnsafeMutableRawPointer(mutating: buffer.baseAddress)?.advanced(by: offset)
            .assumingMemoryBound(to: CChar.self)
    }

    /// Writes the texts of a process into the arena, each with a zero behind it, and returns their offsets.
    private mutating func fillArena(
        _ specification: ProcessSpecification,
        program: String
    ) -> (arguments: [Int], candidates: [Int], directory: Int?) {
        arena.removeAll(keepingCapacity: true)
        var arguments: [Int] = []
        arguments.reserveCapacity(specification.arguments.count)
        for argument in specification.arguments {
            arguments.append(arena.count)
            arena.append(terminated: argument)
        }
        var candidates: [Int] = []
        if program.utf8.contains(UInt8(ascii: "/")) {
            candidates = [arguments[0]]
        } else {
            candidates.reserveCapacity(specification.environment.programDirectories.count)
            for directory in specification.environment.programDirectories {
                candidates.append(arena.count)
                arena.append(contentsOf: directory)
                arena.append(terminated: program)
            }
        }
        let directory = specification.directory.map { path in
            let offset = arena.count
            arena.append(terminated: path)
            return offset
        }
        return (arguments, candidates, directory)
    }

    /// A path as the process would resolve it.
    private static func resolve(_ path: String, in directory: String?) -> String {
        guard let directory, path.utf8.first != UInt8(ascii: "/") else { return path }
        return directory + "/" + path
    }

    /// Rejects texts that execve(2) cannot express: a zero byte would silently end a text.
    private static func check(_ specification: ProcessSpecification) throws(LaunchFailure) {
        for (index, argument) in specification.arguments.enumerated() where argument.hasZeroByte {
            throw LaunchFailure(
                .invalid,
                index == 0
                    ? "cannot run a program whose name has a zero byte"
                    : "cannot run \"\(specification.arguments[0])\": argument \(index) has a zero byte"
            )
        }
        if let directory = specification.directory, directory.hasZeroByte {
            throw LaunchFailure(.invalid, "cannot enter a directory whose name has a zero byte")
        }
    }

    /// The failure of a launch.
    ///
    /// - Parameters:
    ///   - step: where the launch failed.
    ///   - code: the errno of the step.
    static func failure(
        at step: Int32,
        _ code: Int32,
        program: String,
        specification: ProcessSpecification
    ) -> LaunchFailure {
        let reason = systemReason(code)
        switch cspawn_step(UInt32(step)) {
        case CSPAWN_DIRECTORY:
            return LaunchFailure(
                .directory,
                code: code,
                "cannot enter directory \"\(specification.directory ?? ".")\": \(reason)"
            )
        case CSPAWN_EXECUTE:
            // Whoever quotes a whole line at a shell's prompt means a shell.
            let isLine =
                (code == ENOENT || code == ENOTDIR) && specification.arguments.count == 1
                && program.contains { " ;&|<>".contains($0) }
            return LaunchFailure(
                .program,
                code: code,
                "cannot run \"\(program)\": " + explanation(of: code, program: program, specification: specification)
                    + (isLine ? "; no shell reads a command: give each word apart, or begin with sh -c" : "")
            )
        case CSPAWN_CONTROL_GROUP:
            return LaunchFailure(
                .resources,
                code: code,
                "cannot put \"\(program)\" into a control group for its limit of memory: \(reason)"
            )
        case CSPAWN_INPUT:
            let path = resolve(specification.standardInput ?? "", in: specification.directory)
            return Descriptor.inputFailure(path, code)
        case CSPAWN_OUTPUT:
            let path = resolve(specification.outputPipe ?? "", in: specification.directory)
            return Descriptor.outputFailure("standard output", path, code)
        case CSPAWN_ERROR:
            let path = resolve(specification.errorPipe ?? "", in: specification.directory)
            return Descriptor.outputFailure("standard error", path, code)
        case CSPAWN_DESCRIPTORS:
            return LaunchFailure(.output, code: code, "cannot pass its streams to \"\(program)\": \(reason)")
        default:
            return LaunchFailure(.resources, code: code, "cannot start a process for \"\(program)\": \(reason)")
        }
    }

    /// The system's reason, or a better reason if the system's words mislead.
    private static func explanation(
        of code: Int32,
        program: String,
        specification: ProcessSpecification
    ) -> String {
        guard program.utf8.contains(UInt8(ascii: "/")) else {
            return code == ENOENT || code == ENOTDIR ? "no such file in PATH" : systemReason(code)
        }
        switch code {
        case ENOENT where access(resolve(program, in: specification.directory), F_OK) == 0:
            return "the interpreter that it names does not exist"
        case ENOEXEC:
            return "\(systemReason(code)); a script starts with a line such as #!/bin/sh"
        default:
            return systemReason(code)
        }
    }
}

extension [UInt8] {
    /// Adds a text and its terminating zero byte.
    fileprivate mutating func append(terminated text: String) {
        var text = text
        text.withUTF8 { append(contentsOf: $0) }
        append(0)
    }
}
