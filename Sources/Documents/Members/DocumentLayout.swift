@_spi(Baton) import BatonJSON
@_spi(Reflection) import Swift
import Synchronization

/// The members of a type of documents: its stored properties, in the order of JSON.
///
/// The names, types and offsets are those that the compiler notes for reflection. Thus a property is all that a member needs, and no
/// code is compiled for each of them: the code of all documents together would be larger than the rest of the module.
///
/// A property is accessed at its offset with the type that belongs to the offset, while the document is accessed as a whole.
struct DocumentLayout: Sendable {
    private let size: Int
    private let alignment: Int
    /// The members in the order of JSON.
    private(set) var members: [DocumentMember] = []

    /// The layouts that were made so far: making one takes long.
    private static let made = Mutex<[ObjectIdentifier: DocumentLayout]>([:])

    /// The layout of a type.
    @inline(never)
    static func of(_ type: any Document.Type) -> DocumentLayout {
        made.withLock { layouts in
            if let layout = layouts[ObjectIdentifier(type)] { return layout }
            let layout = DocumentLayout(type)
            layouts[ObjectIdentifier(type)] = layout
            return layout
        }
    }

    private init<D: Document>(_ type: D.Type) {
        size = MemoryLayout<D>.size
        alignment = MemoryLayout<D>.alignment
        add(type, at: 0)
        for (key, next) in type.movedKeys {
            guard let place = members.firstIndex(where: { $0.key.stringValue == key }) else { continue }
            let member = members.remove(at: place)
            members.insert(member, at: members.firstIndex { $0.key.stringValue == next } ?? members.endIndex)
        }
    }

    private mutating func add(_ document: any Document.Type, at start: Int) {
        let hasReflection = _forEachField(of: document) { name, offset, type, _ in
            // The stored property of a property wrapper has an underscore.
            let name = String(cString: name).drop { $0 == "_" }
            guard let type = type as? any MemberType.Type else {
                preconditionFailure("\(document).\(name) is of type \(type), which no member of a document can have.")
            }
            add(String(name), type.storage, at: start + offset)
            return true
        }
        precondition(hasReflection, "Documents need the metadata for reflection.")
    }

    private mutating func add(_ name: String, _ storage: MemberStorage, at offset: Int) {
        switch storage {
        case .value(let type): members.append(DocumentMember(name, type, .always, isContent: false, offset: offset))
        case .nullable(let type, let isContent):
            members.append(DocumentMember(name, type, .nullable, isContent: isContent, offset: offset))
        case .omitted(let type): members.append(DocumentMember(name, type, .omitted, isContent: false, offset: offset))
        case .members(let type): add(type, at: offset)
        }
    }

    /// Writes the members of the document at an address into the open object.
    func write(_ document: UnsafeRawPointer, to writer: inout JSONWriter) {
        members.withUnsafeBufferPointer { members in
            for index in members.indices {
                members[index].type.write(members[index], at: document + members[index].offset, to: &writer)
            }
        }
    }

    /// Reads a document into memory that the caller deallocates.
    func read(from decoder: any Decoder) throws -> UnsafeMutableRawPointer {
        let container = try decoder.container(keyedBy: DocumentKey.self)
        let document = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: alignment)
        for (index, member) in members.enumerated() {
            do {
                try member.type.read(member, from: container, to: document + member.offset)
            } catch {
                for member in members[..<index] { member.type.deinitialize(member, at: document + member.offset) }
                document.deallocate()
                throw error
            }
        }
        return document
    }

    /// Takes content away from the document at an address.
    func conceal(_ document: UnsafeMutableRawPointer) {
        for member in members { member.type.conceal(member, at: document + member.offset) }
    }

    /// Passes every text of the document at an address through a function.
    func changeTexts(of document: UnsafeMutableRawPointer, _ change: (String) -> String) {
        for member in members { member.type.changeTexts(member, at: document + member.offset, change) }
    }
}
