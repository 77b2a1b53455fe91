import java.io.File;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.algorithm.transactions.KMAnonymity;

/** k^m-anonymity of sets with ARX's branch "transactions": java ArxSets K M DATA HIERARCHY OUT. */
public class ArxSets {

    public static void main(String[] args) throws Exception {
        Data.DefaultData data = Data.create();
        List<String> lines = Files.readAllLines(Path.of(args[2]));
        data.add("0", lines.get(0).split(" ")[0]); // the branch reads the header as a row, so repeat one
        int record = 0;
        for (String line : lines) {
            for (String item : line.split(" ")) {
                data.add(Integer.toString(record), item);
            }
            record++;
        }
        AttributeType.Hierarchy hierarchy = AttributeType.Hierarchy.create(new File(args[3]), StandardCharsets.UTF_8, ';');
        KMAnonymity algorithm = new KMAnonymity(Integer.parseInt(args[0]), Integer.parseInt(args[1]), hierarchy, data);
        algorithm.aprioriAnonymization();
        try (PrintWriter out = new PrintWriter(args[4], StandardCharsets.UTF_8)) {
            for (String[] items : algorithm.generalizedDatabase()) {
                out.println(String.join(" ", items));
            }
        }
    }
}
