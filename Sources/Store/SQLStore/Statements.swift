/// The statements of the store by subject, each declared once, and compiled once at most.
///
/// Each reading statement finds its rows through a key or an index; only the few queues and workers are read as a whole.
///
/// A class, because a copy of so many statements would cost each transaction as much as a row.
final class Statements {
    let record = Record()
    let cluster = Cluster()
    let jobs = Jobs()
    let removal = Removal()
    let entries = Entries()
    let operations = Operations()
    let times = Times()
    let hooks = Hooks()
    let events = Events()
    let failures = Failures()
    let outputs = Outputs()
    let files = Files()
    /// Those that only a server gets; nil for a file.
    let server: ServerStatements?

    /// Makes the statements for the newest version of the tables.
    ///
    /// - Throws: `statement` if the tables are others.
    init(_ database: Database) throws(SQLError) {
        server = nil
        for statement in all { try statement.attach(to: database) }
    }

    /// Makes the statements for the connections of a store to a server, which prepares each on its first use.
    init(_ session: ServerSession) throws(SQLError) {
        server = try ServerStatements(session)
        for statement in all { try statement.attach(to: session) }
    }

    /// Every statement that both engines get: each property of a subject is one, or a list of them.
    var all: [Statement] {
        Mirror(reflecting: self).children.flatMap { subject in
            Mirror(reflecting: subject.value).children.flatMap { child -> [Statement] in
                (child.value as? Statement).map { [$0] } ?? child.value as? [Statement] ?? []
            }
        }
    }
}
