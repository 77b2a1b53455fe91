import algorithms.flash.GridNode;
import algorithms.kmanonymity.Apriori;
import algorithms.mixedkmanonymity.MixedApriori;
import algorithms.parallelflash.ParallelFlash;
import anonymizeddataset.AnonymizedDataset;
import data.CheckDatasetForKAnomymous;
import data.Data;
import data.SETData;
import data.TXTData;
import dictionary.DictionaryString;
import hierarchy.Hierarchy;
import hierarchy.distinct.HierarchyImplString;
import java.io.File;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Amnesia without its web server, in the steps of its controller: java Amnesia table K DATA HIERARCHIES OUT, sets K M
 * DATA HIERARCHY OUT, check-table DATA COLUMNS, check-sets K M DATA.
 */
public class Amnesia {

    private static final PrintStream RESULT = System.out;

    public static void main(String[] args) throws Exception {
        System.setOut(new PrintStream(PrintStream.nullOutputStream()));
        switch (args[0]) {
            case "table" -> table(Integer.parseInt(args[1]), args[2], args[3], args[4]);
            case "sets" -> sets(Integer.parseInt(args[1]), Integer.parseInt(args[2]), args[3], args[4], args[5]);
            case "check-table" -> checkTable(args[1], Integer.parseInt(args[2]));
            default -> checkSets(Integer.parseInt(args[1]), Integer.parseInt(args[2]), args[3]);
        }
    }

    private static TXTData read(String path, int columns) throws Exception {
        TXTData data = new TXTData(path, ",", HierarchyImplString.getWholeDictionary());
        String[] types = new String[columns];
        Arrays.fill(types, "string");
        boolean[] all = new boolean[columns];
        Arrays.fill(all, true);
        data.findColumnTypes();
        data.getTypesOfVariables(data.getSmallDataSet());
        data.readDataset(types, all);
        return data;
    }

    private static SETData readSets(String path) throws Exception {
        SETData data = new SETData(path, " ", HierarchyImplString.getWholeDictionary());
        data.readDataset(new String[] {"set"}, new boolean[] {true});
        return data;
    }

    private static Hierarchy hierarchy(String path, Data data) throws Exception {
        Hierarchy hierarchy = new HierarchyImplString(path, data.getDictionary());
        hierarchy.load();
        return hierarchy;
    }

    /** Writes a line of levels for each solution; the user chooses one of them. */
    private static void table(int k, String path, String folder, String out) throws Exception {
        String[] names = new java.util.Scanner(new File(path)).nextLine().split(",");
        HierarchyImplString.setWholeDictionary(new DictionaryString());
        TXTData data = read(path, names.length);
        Map<Integer, Hierarchy> hierarchies = new HashMap<>();
        for (int i = 0; i < names.length; i++) {
            Hierarchy hierarchy = hierarchy(folder + "/" + names[i] + ".txt", data);
            String fault = hierarchy.checkHier(data, i);
            if (fault != null && !fault.endsWith("Ok")) {
                throw new IllegalStateException(fault);
            }
            hierarchies.put(i, hierarchy);
        }
        ParallelFlash flash = new ParallelFlash();
        flash.setDataset(data);
        flash.setHierarchies(hierarchies);
        flash.setArguments(Map.of("k", k));
        flash.anonymize();
        try (PrintStream file = new PrintStream(out)) {
            file.println("levels");
            for (GridNode node : flash.getResultSet()) {
                file.println(Arrays.toString(node.getTransformation()).replaceAll("[^0-9,]", ""));
            }
        }
    }

    private static void sets(int k, int m, String path, String hierarchyPath, String out) throws Exception {
        HierarchyImplString.setWholeDictionary(new DictionaryString());
        SETData data = readSets(path);
        Hierarchy hierarchy = hierarchy(hierarchyPath, data);
        Map<Integer, Hierarchy> hierarchies = new HashMap<>(Map.of(0, hierarchy));
        Apriori apriori = new Apriori();
        apriori.setDataset(data);
        apriori.setHierarchies(hierarchies);
        apriori.setArguments(Map.of("k", k, "m", m));
        apriori.anonymize();
        @SuppressWarnings("unchecked")
        Map<Double, Double> rules = (Map<Double, Double>) apriori.getResultSet();
        try (PrintStream file = new PrintStream(out)) {
            for (double[] record : data.getDataSet()) {
                Set<String> items = new HashSet<>();
                for (double item : record) {
                    int id = rules.getOrDefault(item, item).intValue();
                    String name = hierarchy.getDictionary().getIdToString(id);
                    items.add(name == null ? data.getDictionary().getIdToString(id) : name);
                }
                file.println(String.join(" ", items));
            }
        }
    }

    private static void checkTable(String path, int columns) throws Exception {
        HierarchyImplString.setWholeDictionary(new DictionaryString());
        Set<Integer> all = new HashSet<>();
        for (int i = 0; i < columns; i++) {
            all.add(i);
        }
        RESULT.println(new CheckDatasetForKAnomymous(read(path, columns)).compute(all));
    }

    private static void checkSets(int k, int m, String path) throws Exception {
        HierarchyImplString.setWholeDictionary(new DictionaryString());
        SETData data = readSets(path);
        MixedApriori check = new MixedApriori();
        check.setDictionary(data.getDictionary());
        check.setSetData(data.getDataSet());
        RESULT.println(check.checkAnonymitySet(k, m).split("<br>")[0]);
    }
}
