@_spi(Baton) import BatonOperations

@_spi(Baton) extension AttemptToken: WireCodable {
    static let minimumLength = 16

    func write(to writer: inout ByteWriter) {
        writer.fixed(incarnation.rawValue)
        writer.fixed(inRecord.rawValue)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        let incarnation = Incarnation(rawValue: try reader.fixed("the incarnation of an attempt's token"))
        self.init(rawValue: try reader.fixed("the attempt's token"), of: incarnation)
    }
}

@_spi(Baton) extension AttemptStart: WireCodable {
    static let minimumLength = AttemptToken.minimumLength + 1

    func write(to writer: inout ByteWriter) {
        writer.value(token)
        writer.age(age)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(try reader.value(), age: try reader.age())
    }
}

/// Ages travel in microseconds: an age means the same to every clock.
extension ByteWriter {
    /// Appends an age in microseconds.
    mutating func age(_ microseconds: Int64) { varint(UInt64(max(0, microseconds))) }
}

extension ByteReader {
    /// Reads an age in microseconds.
    mutating func age() throws(WireError) -> Int64 {
        Int64(clamping: try varint("how long ago it was", as: UInt64.self))
    }
}

@_spi(Baton) extension SessionID: WireCodable {
    static let minimumLength = 8

    func write(to writer: inout ByteWriter) {
        writer.fixed(rawValue)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(rawValue: try reader.fixed("the session"))
    }
}

@_spi(Baton) extension JobNumber: WireCodable {
    static let minimumLength = 1

    func write(to writer: inout ByteWriter) {
        writer.varint(rawValue)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(rawValue: try reader.varint("the job's number"))
    }
}

@_spi(Baton) extension Timestamp: WireCodable {
    static let minimumLength = 1

    func write(to writer: inout ByteWriter) {
        writer.varint(UInt64(bitPattern: rawValue))
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(rawValue: Int64(bitPattern: try reader.varint("a moment")))
    }
}

@_spi(Baton) extension RecordMoment: WireCodable {
    static let minimumLength = 2 * Timestamp.minimumLength

    func write(to writer: inout ByteWriter) {
        writer.value(clock)
        writer.value(time)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(clock: try reader.value(), time: try reader.value())
    }
}

@_spi(Baton) extension OperationID: WireCodable {
    static let minimumLength = 2

    func write(to writer: inout ByteWriter) {
        writer.value(job)
        writer.varint(index)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self.init(job: try reader.value(), index: try reader.varint("the operation's index"))
    }
}

@_spi(Baton) extension Address: WireCodable {
    static let minimumLength = 2

    func write(to writer: inout ByteWriter) {
        switch self {
        case .job(let job):
            writer.byte(0)
            writer.value(job)
        case .operation(let id):
            writer.byte(1)
            writer.value(id)
        case .named(let job, let name):
            writer.byte(2)
            writer.value(job)
            writer.text(name)
        case .operations(let job, let range):
            writer.byte(3)
            writer.value(job)
            writer.varint(range.lowerBound)
            writer.varint(range.upperBound)
        }
    }

    init(from reader: inout ByteReader) throws(WireError) {
        switch try reader.byte("the address's form") {
        case 0: self = .job(try reader.value())
        case 1: self = .operation(try reader.value())
        case 2:
            self = .named(try reader.value(), try reader.name("the operation's name"))
        case 3:
            let job: JobNumber = try reader.value()
            let first = try reader.varint("the first operation", as: UInt32.self)
            let end = try reader.varint("the end of the operations", as: UInt32.self)
            guard first < end else { throw reader.malformed("the operations", "end before they begin") }
            self = .operations(job, first..<end)
        case let other: throw reader.unknown("the address's form", other)
        }
    }
}

extension ByteReader {
    /// Reads the target of a dependency: an operation, an array or a job, and no range, which would be many dependencies.
    mutating func dependencyTarget() throws(WireError) -> Address {
        let address: Address = try value()
        if case .operations = address { throw malformed("a dependency", "is a range of operations") }
        return address
    }
}

/// Durations travel in whole microseconds; fractions are cut off.
@_spi(Baton) extension Duration: WireCodable {
    static let minimumLength = 1

    func write(to writer: inout ByteWriter) {
        writer.zigzag(microseconds)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self = .microseconds(try reader.zigzag("a duration", as: Int64.self))
    }
}

@_spi(Baton) extension Priority: WireCodable {
    static let minimumLength = 1

    func write(to writer: inout ByteWriter) {
        writer.byte(UInt8(bitPattern: rawValue))
    }

    init(from reader: inout ByteReader) throws(WireError) {
        let number = try reader.byte("the priority")
        guard let priority = Priority(rawValue: Int8(bitPattern: number)) else {
            throw reader.unknown("the priority", number)
        }
        self = priority
    }
}

@_spi(Baton) extension QualityOfService: WireCodable {
    static let minimumLength = 1

    func write(to writer: inout ByteWriter) {
        writer.choice(self)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self = try reader.choice("the quality of service")
    }
}

@_spi(Baton) extension OutputStream: WireCodable {
    static let minimumLength = 1

    func write(to writer: inout ByteWriter) {
        writer.choice(self)
    }

    init(from reader: inout ByteReader) throws(WireError) {
        self = try reader.choice("the stream")
    }
}
